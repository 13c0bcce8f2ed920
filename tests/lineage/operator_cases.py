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
from tests.lineage.explaining import Input
from tests.lineage.operator_flows import (
    Doubling,
    Emitting,
    Remembering,
    Summing,
    cogrouped,
    grouped_a,
    grouped_table,
    pair,
    processed,
    split,
    stream_of_a,
    table_table_join,
    tables,
    versioned_join,
)


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


CASES: dict[str, OperatorCase] = {
    "filter": OperatorCase(
        lambda b: stream_of_a(b).filter(lambda _key, value: value > 1).to("out"), [("a", "x", 1, 0), ("a", "x", 2, 1)], {1}
    ),
    "map-values": OperatorCase(lambda b: stream_of_a(b).map_values(lambda value: value + 1).to("out"), [("a", "x", 1, 0)], {0}),
    "map": OperatorCase(
        lambda b: stream_of_a(b).map(lambda key, value: (key * 2, value), key=str, value=int).to("out"),
        [("a", "x", 1, 0), ("a", "y", 2, 1)],
        {1},
    ),
    "flat-map": OperatorCase(
        lambda b: stream_of_a(b).flat_map(lambda key, value: [(key, value), (key, value + 1)], key=str, value=int).to("out"),
        [("a", "x", 1, 0), ("a", "x", 5, 1)],
        {1},
    ),
    "flat-map-values": OperatorCase(
        lambda b: stream_of_a(b).flat_map_values(lambda value: [value, -value], value=int).to("out"),
        [("a", "x", 1, 0), ("a", "x", 2, 1)],
        {1},
    ),
    "peek": OperatorCase(lambda b: stream_of_a(b).peek(lambda *_: None).to("out"), [("a", "x", 1, 0)], {0}),
    "merge": OperatorCase(
        lambda b: stream_of_a(b).merge(b.stream("b", key=str, value=int)).to("out"), [("a", "x", 1, 0), ("b", "x", 2, 1)], {1}
    ),
    "split": OperatorCase(split, [("a", "x", -1, 0), ("a", "x", 2, 1)], {1}),
    "repartition": OperatorCase(
        lambda b: stream_of_a(b).select_key(lambda _key, value: f"v{value}", key=str).repartition(name="moved").to("out"),
        [("a", "x", 1, 0), ("a", "x", 2, 1)],
        {1},
    ),
    "count": OperatorCase(
        lambda b: grouped_a(b).count(store="counts").to_stream().to("out"),
        [("a", "x", 1, 0), ("a", "y", 1, 1), ("a", "x", 1, 2)],
        {0, 2},
    ),
    "reduce": OperatorCase(
        lambda b: grouped_a(b).reduce(max, store="greatest").to_stream().to("out"),
        [("a", "x", 7, 0), ("a", "x", 3, 1), ("a", "y", 9, 1), ("a", "x", 5, 2)],
        {0, 1, 3},
        {1},
    ),
    "aggregate-deleted": OperatorCase(
        lambda b: (
            grouped_a(b)
            .aggregate(int, lambda total, value: None if total + value == 0 else total + value, store="sums")
            .to_stream()
            .to("out")
        ),
        [("a", "x", 1, 0), ("a", "y", 5, 0), ("a", "x", -1, 1)],
        {0, 2},
    ),
    "tumbling": OperatorCase(
        lambda b: grouped_a(b).windowed_by(tumbling(10, grace=0)).count(store="counts").to_stream().to("out"),
        [("a", "x", 1, 3), ("a", "x", 1, 12), ("a", "y", 1, 13), ("a", "x", 1, 15)],
        {1, 3},
    ),
    "hopping": OperatorCase(
        lambda b: grouped_a(b).windowed_by(hopping(10, advance=5, grace=0)).count(store="counts").to_stream().to("out"),
        [("a", "x", 1, 3), ("a", "x", 1, 7), ("a", "x", 1, 12)],
        {2},
    ),
    "sliding": OperatorCase(
        lambda b: grouped_a(b).windowed_by(sliding(10, grace=50)).count(store="counts").to_stream().to("out"),
        [("a", "x", 1, 3), ("a", "x", 1, 20), ("a", "x", 1, 25)],
        {1, 2},
    ),
    "session": OperatorCase(
        lambda b: grouped_a(b).windowed_by(session(5, grace=50)).count(store="counts").to_stream().to("out"),
        [("a", "x", 1, 3), ("a", "x", 1, 11), ("a", "y", 1, 12), ("a", "x", 1, 7)],
        {0, 1, 3},
    ),
    "emit-on-close": OperatorCase(
        lambda b: (
            grouped_a(b)
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
            grouped_a(b)
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
        lambda b: grouped_a(b).count(store="counts").suppress(until_time_limit(10)).to_stream().to("out"),
        [("a", "x", 1, 3), ("a", "x", 1, 5), ("a", "y", 1, 14)],
        {0, 1, 2},
    ),
    "table": OperatorCase(
        lambda b: tables(b)[0].to_stream().to("out"), [("a", "x", 1, 0), ("a", "x", 2, 1), ("b", "x", 0, 0)], {1}
    ),
    "table-filter": OperatorCase(
        lambda b: tables(b)[0].filter(lambda _key, value: value > 1).to_stream().to("out"),
        [("a", "x", 1, 0), ("a", "x", 2, 1), ("b", "x", 0, 0)],
        {1},
    ),
    "table-map-values": OperatorCase(
        lambda b: tables(b)[0].map_values(lambda value: value * 2).to_stream().to("out"),
        [("a", "x", 1, 0), ("b", "x", 0, 0)],
        {0},
    ),
    "table-transform-values": OperatorCase(
        lambda b: tables(b)[0].transform_values(Doubling, value=int, store="doubled").to_stream().to("out"),
        [("a", "x", 1, 0), ("a", "x", 2, 1), ("b", "x", 0, 0)],
        {1},
    ),
    "table-group-by": OperatorCase(
        grouped_table, [("a", "x", 1, 0), ("a", "y", 2, 1), ("a", "z", 3, 2), ("a", "x", 5, 3), ("b", "x", 0, 0)], {0, 2, 3}, {0}
    ),
    "to-table": OperatorCase(
        lambda b: stream_of_a(b).to_table(store="rows").to_stream().to("out"), [("a", "x", 1, 0), ("a", "x", 2, 1)], {1}
    ),
    "cogroup": OperatorCase(cogrouped, [("a", "x", 9, 0), ("b", "x", 2, 1), ("b", "y", 2, 2), ("a", "x", 1, 3)], {0, 1, 3}),
    "stream-stream-join": OperatorCase(
        lambda b: (
            stream_of_a(b)
            .join(
                b.stream("b", key=str, value=int), pair, windows=join_windows(before=10, after=10, grace=0), value=int, name="j"
            )
            .to("out")
        ),
        [("a", "x", 1, 0), ("a", "y", 3, 1), ("b", "x", 2, 5)],
        {0, 2},
    ),
    "stream-stream-join-until": OperatorCase(
        lambda b: (
            stream_of_a(b)
            .join(
                b.stream("b", key=str, value=int),
                pair,
                windows=join_windows(before=0, until=lambda value: value, grace=0),
                condition=lambda left, right: left > right,
                value=int,
                name="j",
            )
            .to("out")
        ),
        [("a", "x", 90, 0), ("a", "y", 80, 1), ("b", "x", 2, 5)],
        {0, 2},
    ),
    "stream-stream-left-join": OperatorCase(
        lambda b: (
            stream_of_a(b)
            .left_join(
                b.stream("b", key=str, value=int), pair, windows=join_windows(before=10, after=10, grace=0), value=int, name="j"
            )
            .to("out")
        ),
        [("a", "x", 1, 0), ("b", "y", 2, 5), ("a", "z", 3, 50)],
        {0, 2},
    ),
    "stream-table-join": OperatorCase(
        lambda b: stream_of_a(b).join(b.table("b", key=str, value=int, store="rows"), pair, value=int).to("out"),
        [("b", "x", 1, 0), ("b", "x", 2, 1), ("b", "y", 3, 2), ("a", "x", 4, 3)],
        {1, 3},
    ),
    "stream-versioned-table-join": OperatorCase(
        versioned_join, [("b", "x", 1, 0), ("b", "x", 2, 10), ("b", "x", 3, 20), ("a", "x", 4, 21), ("a", "x", 5, 12)], {1, 4}
    ),
    "stream-global-table-join": OperatorCase(
        lambda b: (
            stream_of_a(b)
            .join(
                b.global_table("b", key=str, value=int, store="rows"),
                pair,
                key_selector=lambda _key, value: f"k{value}",
                value=int,
            )
            .to("out")
        ),
        [("b", "k1", 1, 0), ("b", "k2", 2, 1), ("a", "x", 1, 3)],
        {0, 2},
    ),
    "table-table-join": OperatorCase(
        table_table_join,
        [("a", "x", 1, 0), ("b", "x", 2, 1), ("b", "y", 3, 2), ("a", "x", 4, 3)],
        {1, 3},
    ),
    "foreign-key-join": OperatorCase(
        lambda b: (
            b.table("a", key=str, value=int, store="rows-a")
            .join(
                b.table("b", key=str, value=int, store="rows-b"),
                pair,
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
    "processor": OperatorCase(processed(Summing), [("a", "x", 1, 0), ("a", "y", 2, 1), ("a", "x", 3, 2)], {0, 2}),
    "punctuation": OperatorCase(
        processed(Emitting),
        [("a", "w", 1, 0), ("a", "x", 1, 10), ("a", "w", 2, 20), ("a", "x", 3, 30), ("a", "w", 0, 110)],
        {1, 3, 4},
    ),
    "memory-of-a-processor": OperatorCase(processed(Remembering), [("a", "x", 5, 0), ("a", "y", 6, 1), ("a", "x", 7, 2)], {0, 2}),
}
"""By operator."""
