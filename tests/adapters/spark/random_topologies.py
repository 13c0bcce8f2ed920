"""Topologies that a seed chooses, and input for them: what two engines must make the same of."""

from collections.abc import Callable
from random import Random
from typing import Any

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
Given = tuple[str, str | None, int | None, int]
"""Topic, key, value and timestamp in ms."""

Step = Callable[[Stream[str, int]], Stream[str, int]]


def even(_key: str, value: int | None) -> bool:
    return value is None or value % 2 == 0


def tens(value: int | None) -> int:
    return (value or 0) * 10


def twice(key: str, value: int | None) -> list[tuple[str, int]]:
    return [(key, value or 0), (f"{key}{key}", (value or 0) + 1)]


def by_value(_key: str, value: int | None) -> str:
    return f"v{(value or 0) % 5}"


def add(total: int, value: int | None) -> int:
    return total + (value or 0)


def plus(left: int | None, right: int | None) -> int:
    return (left or 0) + 1_000 * (right or 0)


class Numbering(FixedKeyProcessor[str, int, int]):
    """Numbers the records of each key, and tells by a stream-time tick how many there were."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        self._numbers = context.state_store("numbers")
        context.schedule(50, PunctuationType.STREAM_TIME, self._tick)

    def process(self, record: Record[str, int]) -> None:
        number = (self._numbers.get(record.key) or 0) + 1
        self._numbers.put(record.key, number)
        self.context.forward(record.with_value(number))

    def _tick(self, _now: int) -> None:
        for key, number in list(self._numbers.range()):
            self._numbers.put(key, number + 100)


def topology(seed: int) -> Topology:
    """A topology of a few steps, a table or a join, and one more fold."""
    chance, builder = Random(seed), TopologyBuilder()
    stream = builder.stream("left", key=str, value=int)
    for step in chance.sample(STEPS, chance.randint(0, 2)):
        stream = step(stream)
    table = chance.choice(MEETINGS)(chance, builder, stream.filter(keyed))
    told = table.to_stream() if isinstance(table, Table) else table
    told.to("out")
    return builder.build()


def keyed(key: str | None, _value: int | None) -> bool:
    return key is not None


STEPS: list[Step] = [
    lambda stream: stream.filter(even),
    lambda stream: stream.map_values(tens),
    lambda stream: stream.flat_map(twice),
    lambda stream: stream.select_key(by_value, key=str),
    lambda stream: stream.repartition(name="moved", partitions=3),
]


def _counted(chance: Random, _builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    grouped = stream.group_by_key(name="grouped")
    if chance.random() < 0.5:
        return grouped.count(store="folded")
    return grouped.aggregate(int, add, merge=int.__add__, store="folded")


def _windowed(chance: Random, _builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    grace = chance.choice([0, 20])
    windows: Any = chance.choice(
        [
            tumbling(40, grace=grace),
            hopping(40, advance=10, grace=grace),
            sliding(30, grace=grace),
            session(15, grace=grace),
            calendar_days("Europe/Berlin", grace=grace),
        ]
    )
    table: Any = stream.group_by_key(name="grouped").windowed_by(windows).count(store="folded")
    return table.suppress(until_window_closes()) if chance.random() < 0.4 else table


def _table_join(chance: Random, builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    table = builder.table("right", key=str, value=int, store="rows")
    moved = stream.repartition(name="to-table")
    join: Any = moved.join if chance.random() < 0.5 else moved.left_join
    return join(table, plus, value=int)


def _stream_join(chance: Random, builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    other = builder.stream("right", key=str, value=int).filter(keyed)
    moved = stream.repartition(name="to-stream")
    join: Any = chance.choice([moved.join, moved.left_join, moved.outer_join])
    return join(other, plus, windows=join_windows(before=20, after=10, grace=5), value=int, name="met")


def _tables(chance: Random, builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    left = stream.to_table(store="left-rows")
    right = builder.table("right", key=str, value=int, store="right-rows")
    join: Any = chance.choice([left.join, left.left_join, left.outer_join])
    return join(right, plus, value=int)


def _processed(_chance: Random, builder: TopologyBuilder, stream: Stream[str, int]) -> Any:
    builder.add_state_store(key_value_store("numbers", key=str, value=int))
    return stream.process_values(Numbering, stores=["numbers"], value=int)


MEETINGS: list[Callable[[Random, TopologyBuilder, Stream[str, int]], Any]] = [
    _counted,
    _windowed,
    _windowed,
    _table_join,
    _stream_join,
    _tables,
    _processed,
]


def given(seed: int, count: int) -> list[Given]:
    """Records for both topics, a third of them out of order, some without key or value."""
    chance = Random(seed)
    return [
        (
            chance.choice(TOPICS),
            chance.choice(["a", "b", "c", "d", "é", None]),
            chance.choice([*range(10), None]),
            max(0, number * 4 - (chance.randrange(80) if chance.random() < 0.33 else 0)),
        )
        for number in range(count)
    ]
