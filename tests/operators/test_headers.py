"""What an operator emits has the headers of the record that caused it."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from eddyline.application.topology import (
    GlobalTable,
    Stream,
    Table,
    TopologyBuilder,
    hopping,
    join_windows,
    on_window_close,
    session,
    sliding,
    tumbling,
    until_time_limit,
)
from eddyline.application.topology.processor import ValueTransformerWithKey
from tests.operators.running import engine_for

Define: TypeAlias = Callable[[TopologyBuilder], "Stream[Any, Any] | Table[Any, Any]"]


class Unchanged(ValueTransformerWithKey[str, int, int]):
    """Returns every value as it is."""

    def transform(self, key: str, value: int | None) -> int | None:
        del key
        return value


def stream(builder: TopologyBuilder) -> Stream[str, int]:
    return builder.stream("in", key=str, value=int)


def table(builder: TopologyBuilder, topic: str = "in") -> Table[str, int]:
    return builder.table(topic, key=str, value=int)


def global_table(builder: TopologyBuilder) -> GlobalTable[str, int]:
    return builder.global_table("other", key=str, value=int)


def added(one: int | None, other: int | None) -> int:
    return (one or 0) + (other or 0)


OF_ONE_RECORD: dict[str, Define] = {
    "filter": lambda builder: stream(builder).filter(lambda _key, _value: True),
    "map": lambda builder: stream(builder).map(lambda key, value: (key, value)),
    "map_values": lambda builder: stream(builder).map_values(lambda value: value),
    "flat_map": lambda builder: stream(builder).flat_map(lambda key, value: [(key, value)]),
    "repartition": lambda builder: stream(builder).repartition(name="moved"),
    "table": table,
    "to_table": lambda builder: stream(builder).to_table(),
    "table filter": lambda builder: table(builder).filter(lambda _key, _value: True),
    "stored table filter": lambda builder: table(builder).filter(lambda _key, _value: True, store="filtered"),
    "table map_values": lambda builder: table(builder).map_values(lambda value: value),
    "stored table map_values": lambda builder: table(builder).map_values(lambda value: value, value=int, store="mapped"),
    "table transform_values": lambda builder: table(builder).transform_values(Unchanged),
    "stored table transform_values": lambda builder: table(builder).transform_values(Unchanged, store="transformed"),
    "table group_by": lambda builder: (
        table(builder).group_by(lambda key, value: (key, value), key=str, value=int).count(store="counts")
    ),
    "count": lambda builder: stream(builder).group_by_key().count(store="counts"),
    "tumbling windows": lambda builder: stream(builder).group_by_key().windowed_by(tumbling(10, grace=0)).count(store="counts"),
    "hopping windows": lambda builder: (
        stream(builder).group_by_key().windowed_by(hopping(20, advance=10, grace=0)).count(store="counts")
    ),
    "sliding windows": lambda builder: stream(builder).group_by_key().windowed_by(sliding(10, grace=0)).count(store="counts"),
    "sessions": lambda builder: stream(builder).group_by_key().windowed_by(session(10, grace=0)).count(store="counts"),
    "left join with a table": lambda builder: stream(builder).left_join(table(builder, "other"), added, value=int),
    "left join with a global table": lambda builder: stream(builder).left_join(
        global_table(builder), added, key_selector=lambda key, _value: key, value=int
    ),
    "left join of tables": lambda builder: table(builder).left_join(table(builder, "other"), added, value=int),
    "suppress without a limit": lambda builder: table(builder).suppress(until_time_limit(0)),
}


@pytest.mark.parametrize("operator", OF_ONE_RECORD)
def test_the_headers_of_a_record_are_those_of_what_it_emits(operator: str) -> None:
    def define(builder: TopologyBuilder) -> None:
        emitted = OF_ONE_RECORD[operator](builder)
        (emitted if isinstance(emitted, Stream) else emitted.to_stream()).to("out")

    engine = engine_for(define)
    for number, timestamp in enumerate((5, 6)):
        engine.pipe("in", "a", number, timestamp, (("trace", b"%d" % number),))
        written = engine.outputs("out")
        assert written
        assert {output.headers for output in written[-1:]} == {(("trace", b"%d" % number),)}


TWO_SIDES: dict[str, Define] = {
    "stream with table": lambda builder: stream(builder).join(table(builder, "other"), added, value=int),
    "stream with global table": lambda builder: stream(builder).join(
        global_table(builder), added, key_selector=lambda key, _value: key, value=int
    ),
    "stream with stream": lambda builder: stream(builder).join(
        builder.stream("other", key=str, value=int), added, windows=join_windows(before=10, after=10, grace=0), value=int
    ),
    "table with table": lambda builder: table(builder).join(table(builder, "other"), added, value=int),
    "table by foreign key": lambda builder: table(builder).join(
        table(builder, "other"), added, foreign_key=lambda _value: "a", value=int
    ),
    "stored table with table": lambda builder: table(builder).join(table(builder, "other"), added, value=int, store="joined"),
}


@pytest.mark.parametrize("join", TWO_SIDES)
def test_a_joined_record_has_the_headers_of_the_record_that_completed_it(join: str) -> None:
    def define(builder: TopologyBuilder) -> None:
        emitted = TWO_SIDES[join](builder)
        (emitted if isinstance(emitted, Stream) else emitted.to_stream()).to("out")

    engine = engine_for(define)
    engine.pipe("other", "a", 1, 5, (("trace", b"other"),))
    engine.pipe("in", "a", 1, 5, (("trace", b"in"),))
    (joined,) = engine.outputs("out")
    assert joined.headers == (("trace", b"in"),)


def test_a_final_result_has_the_headers_of_the_record_that_closed_its_window() -> None:
    def define(builder: TopologyBuilder) -> None:
        windowed = stream(builder).group_by_key().windowed_by(tumbling(10, grace=0), emit_strategy=on_window_close())
        windowed.count(store="counts").to_stream().to("out")

    engine = engine_for(define)
    engine.pipe("in", "a", 1, 5, (("trace", b"first"),))
    engine.pipe("in", "b", 1, 10, (("trace", b"second"),))
    (final,) = engine.outputs("out")
    assert final.headers == (("trace", b"second"),)


def test_an_unmatched_record_has_the_headers_of_the_record_that_ended_its_wait() -> None:
    def define(builder: TopologyBuilder) -> None:
        other = builder.stream("other", key=str, value=int)
        windows = join_windows(before=10, after=10, grace=0)
        stream(builder).left_join(other, added, windows=windows, value=int).to("out")

    engine = engine_for(define)
    engine.pipe("in", "a", 1, 5, (("trace", b"first"),))
    engine.pipe("in", "b", 1, 100, (("trace", b"second"),))
    (unmatched,) = engine.outputs("out")
    assert (unmatched.key, unmatched.headers) == ("a", (("trace", b"second"),))
