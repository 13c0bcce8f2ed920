"""Random topologies and random input for them, to compare engines with each other."""

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from eddyline.application.topology import (
    Stream,
    Table,
    Topology,
    TopologyBuilder,
    calendar_days,
    hopping,
    join_windows,
    session,
    sliding,
    tumbling,
    until_window_closes,
)
from eddyline.application.topology.processor import FixedKeyProcessor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.stores import key_value_store

TOPICS = ("left", "right")
Input: TypeAlias = tuple[str, str | None, int | None, int]
"""Topic, key, value and timestamp (ms) of a record."""

Stateless: TypeAlias = Callable[[Stream[str, int]], Stream[str, int]]
Stateful: TypeAlias = Callable[[Random, TopologyBuilder, Stream[str, int]], Any]


def random_topology(seed: int) -> Topology:
    """Return a topology of up to two stateless operators and a stateful one, which writes to the topic `out`."""
    rng, builder = Random(seed), TopologyBuilder()
    stream = builder.stream("left", key=str, value=int)
    for operator in rng.sample(STATELESS, rng.randint(0, 2)):
        stream = operator(stream)
    results = rng.choice(STATEFUL)(rng, builder, stream.filter(has_key))
    (results.to_stream() if isinstance(results, Table) else results).to("out")
    return builder.build()


def random_input(seed: int, count: int) -> list[Input]:
    """Return records for both topics; a third of them are out of order, some have no key or no value."""
    rng = Random(seed)
    return [
        (
            rng.choice(TOPICS),
            rng.choice(["a", "b", "c", "d", "é", None]),
            rng.choice([*range(10), None]),
            max(0, number * 4 - (rng.randrange(80) if rng.random() < 0.33 else 0)),
        )
        for number in range(count)
    ]


def is_even(_key: str, value: int | None) -> bool:
    return value is None or value % 2 == 0


def times_ten(value: int | None) -> int:
    return (value or 0) * 10


def under_two_keys(key: str, value: int | None) -> list[tuple[str, int]]:
    return [(key, value or 0), (f"{key}{key}", (value or 0) + 1)]


def by_value(_key: str, value: int | None) -> str:
    return f"v{(value or 0) % 5}"


def has_key(key: str | None, _value: int | None) -> bool:
    return key is not None


def add(total: int, value: int | None) -> int:
    return total + (value or 0)


def pair(left: int | None, right: int | None) -> int:
    return (left or 0) + 1_000 * (right or 0)


class Numbering(FixedKeyProcessor[str, int, int]):
    """Replaces each value by the number of the record among those of its key; stream-time punctuation adds 100 to the numbers."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        self._numbers = context.state_store("numbers")
        context.schedule(50, PunctuationType.STREAM_TIME, self._punctuate)

    def process(self, record: Record[str, int]) -> None:
        number = (self._numbers.get(record.key) or 0) + 1
        self._numbers.put(record.key, number)
        self.context.forward(record.with_value(number))

    def _punctuate(self, _now: int) -> None:
        for key, number in list(self._numbers.range()):
            self._numbers.put(key, number + 100)


def _aggregated(rng: Random, _builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    grouped = stream.group_by_key(name="grouped")
    if rng.random() < 0.5:
        return grouped.count(store="aggregates")
    return grouped.aggregate(int, add, merge=int.__add__, store="aggregates")


def _windowed(rng: Random, _builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    grace = rng.choice([0, 20])
    windows: Any = rng.choice(
        [
            tumbling(40, grace=grace),
            hopping(40, advance=10, grace=grace),
            sliding(30, grace=grace),
            session(15, grace=grace),
            calendar_days("Europe/Berlin", grace=grace),
        ]
    )
    table: Any = stream.group_by_key(name="grouped").windowed_by(windows).count(store="aggregates")
    return table.suppress(until_window_closes()) if rng.random() < 0.4 else table


def _stream_table_join(rng: Random, builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    table = builder.table("right", key=str, value=int, store="rows")
    repartitioned = stream.repartition(name="to-table")
    join: Any = repartitioned.join if rng.random() < 0.5 else repartitioned.left_join
    return join(table, pair, value=int)


def _stream_stream_join(rng: Random, builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    other = builder.stream("right", key=str, value=int).filter(has_key)
    repartitioned = stream.repartition(name="to-stream")
    join: Any = rng.choice([repartitioned.join, repartitioned.left_join, repartitioned.outer_join])
    return join(other, pair, windows=join_windows(before=20, after=10, grace=5), value=int, name="joined")


def _table_table_join(rng: Random, builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    left = stream.to_table(store="left-rows")
    right = builder.table("right", key=str, value=int, store="right-rows")
    join: Any = rng.choice([left.join, left.left_join, left.outer_join])
    return join(right, pair, value=int)


def _processed(_rng: Random, builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    builder.add_state_store(key_value_store("numbers", key=str, value=int))
    return stream.process_values(Numbering, stores=["numbers"], value=int)


STATELESS: list[Stateless] = [
    lambda stream: stream.filter(is_even),
    lambda stream: stream.map_values(times_ten),
    lambda stream: stream.flat_map(under_two_keys),
    lambda stream: stream.select_key(by_value, key=str),
    lambda stream: stream.repartition(name="moved", partitions=3),
]

STATEFUL: list[Stateful] = [
    _aggregated,
    _windowed,
    _windowed,
    _stream_table_join,
    _stream_stream_join,
    _table_table_join,
    _processed,
]
