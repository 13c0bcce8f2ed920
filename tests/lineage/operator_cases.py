"""A small flow for every operator, its input, and the inputs that its last result is made of."""

from collections.abc import Callable
from typing import Any, NamedTuple

from eddyline.application.topology import (
    TopologyBuilder,
    hopping,
    join_windows,
    on_window_close,
    session,
    sliding,
    tumbling,
    until_time_limit,
    until_window_closes,
)
from eddyline.application.topology.processor import (
    Processor,
    ProcessorContext,
    PunctuationType,
    Record,
    ValueTransformerWithKey,
)
from eddyline.application.topology.stores import key_value_store, versioned_key_value_store
from tests.lineage.explaining import Input


class OperatorCase(NamedTuple):
    """A flow that reads `a` and `b` and writes `out`.

    `inputs` are (topic, key, value, timestamp); `made_of` are the indexes of the inputs that the last result is made of, and
    `neutral` those of them without which the result is the same.
    """

    define: Callable[[TopologyBuilder], object]
    inputs: list[tuple[str, Any, Any, int]]
    made_of: set[int]
    neutral: set[int] = set()  # noqa: RUF012 - never changed

    def records(self) -> list[Input]:
        """Return the inputs as records."""
        return [Input(*record) for record in self.inputs]


def _a(builder: TopologyBuilder) -> Any:
    return builder.stream("a", key=str, value=int)


def _grouped(builder: TopologyBuilder) -> Any:
    return _a(builder).group_by_key(name="grouped")


def _tables(builder: TopologyBuilder) -> tuple[Any, Any]:
    return builder.table("a", key=str, value=int, store="rows-a"), builder.table("b", key=str, value=int, store="rows-b")


def _pair(left: int | None, right: int | None) -> int:
    return (left or 0) * 100 + (right or 0)


def _split(builder: TopologyBuilder) -> None:
    branches = _a(builder).split(name="by-sign")
    branches.branch(lambda _key, value: value < 0, name="negative")
    branches.default_branch(name="others")["others"].to("out")


class Summing(Processor[str, int, str, int]):
    """Adds up the values of each key."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        self.sums = context.state_store("sums")

    def process(self, record: Record[str, int]) -> None:
        total = (self.sums.get(record.key) or 0) + record.value
        self.sums.put(record.key, total)
        self.context.forward(record.with_value(total))


class Emitting(Summing):
    """Forwards all sums at every 100 ms of stream time."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        super().init(context)
        context.schedule(100, PunctuationType.STREAM_TIME, self.emit)

    def process(self, record: Record[str, int]) -> None:
        self.sums.put(record.key, (self.sums.get(record.key) or 0) + record.value)

    def emit(self, now: int) -> None:
        for key, total in self.sums.range():
            self.context.forward(Record(key, total, now))


class Remembering(Processor[str, int, str, int]):
    """Remembers the first value outside of its stores, and forwards it with every record."""

    first: int | None = None

    def process(self, record: Record[str, int]) -> None:
        if self.first is None:
            self.first = record.value
        self.context.forward(record.with_value(self.first * 100 + record.value))


class Doubling(ValueTransformerWithKey[str, int, int]):
    """Doubles the values of rows."""

    def transform(self, key: str, value: int | None) -> int | None:
        del key
        return None if value is None else 2 * value


def _processed(processor: type[Processor[str, int, str, int]]) -> Callable[[TopologyBuilder], object]:
    def define(builder: TopologyBuilder) -> None:
        builder.add_state_store(key_value_store("sums", key=str, value=int))
        _a(builder).process(processor, stores=["sums"], key=str, value=int, name="processor").to("out")

    return define


def _cogrouped(builder: TopologyBuilder) -> None:
    other = builder.stream("b", key=str, value=int).group_by_key(name="other")
    both = _grouped(builder).cogroup(lambda total, value: total + value)
    both.cogroup(other, lambda total, value: total - value).aggregate(int, store="sums").to_stream().to("out")


def _grouped_table(builder: TopologyBuilder) -> None:
    rows, _ = _tables(builder)
    by_parity = rows.group_by(lambda _key, value: (value % 2, value), key=int, value=int, name="by-parity")
    by_parity.aggregate(int, lambda total, value: total + value, lambda total, value: total - value, store="sums").to_stream().to(
        "out"
    )


def _table_table_join(builder: TopologyBuilder) -> None:
    left, right = _tables(builder)
    left.join(right, _pair, value=int).to_stream().to("out")


def _versioned_join(builder: TopologyBuilder) -> None:
    table = builder.table("b", key=str, value=int, store=versioned_key_value_store("versions", history_retention=1_000))
    _a(builder).join(table, _pair, value=int).to("out")


CASES: dict[str, OperatorCase] = {
    "filter": OperatorCase(
        lambda b: _a(b).filter(lambda _key, value: value > 1).to("out"), [("a", "x", 1, 0), ("a", "x", 2, 1)], {1}
    ),
    "map-values": OperatorCase(lambda b: _a(b).map_values(lambda value: value + 1).to("out"), [("a", "x", 1, 0)], {0}),
    "map": OperatorCase(
        lambda b: _a(b).map(lambda key, value: (key * 2, value), key=str, value=int).to("out"),
        [("a", "x", 1, 0), ("a", "y", 2, 1)],
        {1},
    ),
    "flat-map": OperatorCase(
        lambda b: _a(b).flat_map(lambda key, value: [(key, value), (key, value + 1)], key=str, value=int).to("out"),
        [("a", "x", 1, 0), ("a", "x", 5, 1)],
        {1},
    ),
    "flat-map-values": OperatorCase(
        lambda b: _a(b).flat_map_values(lambda value: [value, -value], value=int).to("out"),
        [("a", "x", 1, 0), ("a", "x", 2, 1)],
        {1},
    ),
    "peek": OperatorCase(lambda b: _a(b).peek(lambda *_: None).to("out"), [("a", "x", 1, 0)], {0}),
    "merge": OperatorCase(
        lambda b: _a(b).merge(b.stream("b", key=str, value=int)).to("out"), [("a", "x", 1, 0), ("b", "x", 2, 1)], {1}
    ),
    "split": OperatorCase(_split, [("a", "x", -1, 0), ("a", "x", 2, 1)], {1}),
    "repartition": OperatorCase(
        lambda b: _a(b).select_key(lambda _key, value: f"v{value}", key=str).repartition(name="moved").to("out"),
        [("a", "x", 1, 0), ("a", "x", 2, 1)],
        {1},
    ),
    "count": OperatorCase(
        lambda b: _grouped(b).count(store="counts").to_stream().to("out"),
        [("a", "x", 1, 0), ("a", "y", 1, 1), ("a", "x", 1, 2)],
        {0, 2},
    ),
    "reduce": OperatorCase(
        lambda b: _grouped(b).reduce(max, store="greatest").to_stream().to("out"),
        [("a", "x", 7, 0), ("a", "x", 3, 1), ("a", "y", 9, 1), ("a", "x", 5, 2)],
        {0, 1, 3},
        {1},
    ),
    "aggregate-deleted": OperatorCase(
        lambda b: (
            _grouped(b)
            .aggregate(int, lambda total, value: None if total + value == 0 else total + value, store="sums")
            .to_stream()
            .to("out")
        ),
        [("a", "x", 1, 0), ("a", "y", 5, 0), ("a", "x", -1, 1)],
        {0, 2},
    ),
    "tumbling": OperatorCase(
        lambda b: _grouped(b).windowed_by(tumbling(10, grace=0)).count(store="counts").to_stream().to("out"),
        [("a", "x", 1, 3), ("a", "x", 1, 12), ("a", "y", 1, 13), ("a", "x", 1, 15)],
        {1, 3},
    ),
    "hopping": OperatorCase(
        lambda b: _grouped(b).windowed_by(hopping(10, advance=5, grace=0)).count(store="counts").to_stream().to("out"),
        [("a", "x", 1, 3), ("a", "x", 1, 7), ("a", "x", 1, 12)],
        {2},
    ),
    "sliding": OperatorCase(
        lambda b: _grouped(b).windowed_by(sliding(10, grace=50)).count(store="counts").to_stream().to("out"),
        [("a", "x", 1, 3), ("a", "x", 1, 20), ("a", "x", 1, 25)],
        {1, 2},
    ),
    "session": OperatorCase(
        lambda b: _grouped(b).windowed_by(session(5, grace=50)).count(store="counts").to_stream().to("out"),
        [("a", "x", 1, 3), ("a", "x", 1, 11), ("a", "y", 1, 12), ("a", "x", 1, 7)],
        {0, 1, 3},
    ),
    "emit-on-close": OperatorCase(
        lambda b: (
            _grouped(b)
            .windowed_by(tumbling(10, grace=0), emit_strategy=on_window_close(emit_interval=0))
            .count(store="counts")
            .to_stream()
            .to("out")
        ),
        [("a", "x", 1, 3), ("a", "x", 1, 5), ("a", "y", 1, 13)],
        {0, 1, 2},
    ),
    "suppress-until-close": OperatorCase(
        lambda b: (
            _grouped(b)
            .windowed_by(tumbling(10, grace=0))
            .count(store="counts")
            .suppress(until_window_closes())
            .to_stream()
            .to("out")
        ),
        [("a", "x", 1, 3), ("a", "x", 1, 5), ("a", "y", 1, 13)],
        {0, 1, 2},
    ),
    "suppress-until-limit": OperatorCase(
        lambda b: _grouped(b).count(store="counts").suppress(until_time_limit(10)).to_stream().to("out"),
        [("a", "x", 1, 3), ("a", "x", 1, 5), ("a", "y", 1, 14)],
        {0, 1, 2},
    ),
    "table": OperatorCase(
        lambda b: _tables(b)[0].to_stream().to("out"), [("a", "x", 1, 0), ("a", "x", 2, 1), ("b", "x", 0, 0)], {1}
    ),
    "table-filter": OperatorCase(
        lambda b: _tables(b)[0].filter(lambda _key, value: value > 1).to_stream().to("out"),
        [("a", "x", 1, 0), ("a", "x", 2, 1), ("b", "x", 0, 0)],
        {1},
    ),
    "table-map-values": OperatorCase(
        lambda b: _tables(b)[0].map_values(lambda value: value * 2).to_stream().to("out"),
        [("a", "x", 1, 0), ("b", "x", 0, 0)],
        {0},
    ),
    "table-transform-values": OperatorCase(
        lambda b: _tables(b)[0].transform_values(Doubling, value=int, store="doubled").to_stream().to("out"),
        [("a", "x", 1, 0), ("a", "x", 2, 1), ("b", "x", 0, 0)],
        {1},
    ),
    "table-group-by": OperatorCase(
        _grouped_table, [("a", "x", 1, 0), ("a", "y", 2, 1), ("a", "z", 3, 2), ("a", "x", 5, 3), ("b", "x", 0, 0)], {0, 2, 3}, {0}
    ),
    "to-table": OperatorCase(
        lambda b: _a(b).to_table(store="rows").to_stream().to("out"), [("a", "x", 1, 0), ("a", "x", 2, 1)], {1}
    ),
    "cogroup": OperatorCase(_cogrouped, [("a", "x", 9, 0), ("b", "x", 2, 1), ("b", "y", 2, 2), ("a", "x", 1, 3)], {0, 1, 3}),
    "stream-stream-join": OperatorCase(
        lambda b: (
            _a(b)
            .join(
                b.stream("b", key=str, value=int), _pair, windows=join_windows(before=10, after=10, grace=0), value=int, name="j"
            )
            .to("out")
        ),
        [("a", "x", 1, 0), ("a", "y", 3, 1), ("b", "x", 2, 5)],
        {0, 2},
    ),
    "stream-stream-left-join": OperatorCase(
        lambda b: (
            _a(b)
            .left_join(
                b.stream("b", key=str, value=int), _pair, windows=join_windows(before=10, after=10, grace=0), value=int, name="j"
            )
            .to("out")
        ),
        [("a", "x", 1, 0), ("b", "y", 2, 5), ("a", "z", 3, 50)],
        {0, 2},
    ),
    "stream-table-join": OperatorCase(
        lambda b: _a(b).join(b.table("b", key=str, value=int, store="rows"), _pair, value=int).to("out"),
        [("b", "x", 1, 0), ("b", "x", 2, 1), ("b", "y", 3, 2), ("a", "x", 4, 3)],
        {1, 3},
    ),
    "stream-versioned-table-join": OperatorCase(
        _versioned_join, [("b", "x", 1, 0), ("b", "x", 2, 10), ("b", "x", 3, 20), ("a", "x", 4, 21), ("a", "x", 5, 12)], {1, 4}
    ),
    "stream-global-table-join": OperatorCase(
        lambda b: (
            _a(b)
            .join(
                b.global_table("b", key=str, value=int, store="rows"),
                _pair,
                key_selector=lambda _key, value: f"k{value}",
                value=int,
            )
            .to("out")
        ),
        [("b", "k1", 1, 0), ("b", "k2", 2, 1), ("a", "x", 1, 3)],
        {0, 2},
    ),
    "table-table-join": OperatorCase(
        _table_table_join,
        [("a", "x", 1, 0), ("b", "x", 2, 1), ("b", "y", 3, 2), ("a", "x", 4, 3)],
        {1, 3},
    ),
    "foreign-key-join": OperatorCase(
        lambda b: (
            b.table("a", key=str, value=int, store="rows-a")
            .join(
                b.table("b", key=str, value=int, store="rows-b"),
                _pair,
                foreign_key=lambda value: f"k{value}",
                value=int,
                name="fk",
            )
            .to_stream()
            .to("out")
        ),
        [("a", "x", 1, 0), ("a", "y", 2, 1), ("b", "k2", 6, 2), ("b", "k1", 7, 3)],
        {0, 3},
    ),
    "processor": OperatorCase(_processed(Summing), [("a", "x", 1, 0), ("a", "y", 2, 1), ("a", "x", 3, 2)], {0, 2}),
    "punctuation": OperatorCase(
        _processed(Emitting),
        [("a", "w", 1, 0), ("a", "x", 1, 10), ("a", "w", 2, 20), ("a", "x", 3, 30), ("a", "w", 0, 110)],
        {1, 3, 4},
    ),
    "memory-of-a-processor": OperatorCase(
        _processed(Remembering), [("a", "x", 5, 0), ("a", "y", 6, 1), ("a", "x", 7, 2)], {0, 2}
    ),
}
"""By operator."""
