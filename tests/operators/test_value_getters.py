"""A table without a store is computed from the tables that it derives from when a join reads it."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from eddyline.application.topology import Table, TopologyBuilder, until_time_limit
from eddyline.application.topology.processor import ProcessorContext, ValueTransformerWithKey
from eddyline.application.topology.stores import key_value_store
from tests.operators.running import emitted, engine_for

Derive: TypeAlias = Callable[[Table[str, int], TopologyBuilder], Table[str, Any]]


class OrMissing(ValueTransformerWithKey[str, int, str]):
    """Returns key and value as text, also for a row that does not exist."""

    def transform(self, key: str, value: int | None) -> str | None:
        return f"{key}={value}"


class Counting(ValueTransformerWithKey[str, int, int]):
    """Returns the value and the number of calls, which is in a store."""

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        super().init(context)
        self.calls = context.state_store("calls")

    def transform(self, key: str, value: int | None) -> int | None:
        self.calls.put(key, (self.calls.get(key) or 0) + 1)
        return None if value is None else value * 100 + self.calls.get(key)


def counting(table: Table[str, int], builder: TopologyBuilder) -> Table[str, int]:
    builder.add_state_store(key_value_store("calls", key=str, value=int))
    return table.transform_values(Counting, stores=["calls"])


def both(key: str, left: Any, right: Any) -> str:
    return f"{key}: {left}, {right}"


def others(builder: TopologyBuilder) -> Table[str, int]:
    return builder.table("others", key=str, value=int)


def joined(kind: str) -> Derive:
    """Return the join of a table with that of the topic `others`."""

    def join(table: Table[str, int], builder: TopologyBuilder) -> Table[Any, Any]:
        found: Table[Any, Any] = getattr(table, kind)(others(builder), both, with_key=True)
        return found

    return join


DERIVED: dict[str, tuple[Derive, list[tuple[str, int, int]], list[tuple[Any, int]]]] = {
    "the table itself": (lambda table, _: table, [("rows", 7, 50)], [(7, 50)]),
    "map_values": (lambda table, _: table.map_values(lambda value: value + 1), [("rows", 7, 50)], [(8, 50)]),
    "map_values with key": (
        lambda table, _: table.map_values(lambda key, value: f"{key}{value}", with_key=True),
        [("rows", 7, 50)],
        [("a7", 50)],
    ),
    "map_values to nothing": (lambda table, _: table.map_values(lambda _value: None), [("rows", 7, 50)], [(None, 5)]),
    "filter that matches": (
        lambda table, _: table.filter(lambda key, value: (key, value) == ("a", 7)),
        [("rows", 7, 50)],
        [(7, 50)],
    ),
    "filter that does not": (lambda table, _: table.filter(lambda _key, value: value > 7), [("rows", 7, 50)], [(None, 5)]),
    "transform_values": (lambda table, _: table.transform_values(OrMissing), [("rows", 7, 50)], [("a=7", 50)]),
    "transform_values without a row": (lambda table, _: table.transform_values(OrMissing), [], [("a=None", 5)]),
    "transform_values with a store": (counting, [("rows", 7, 50)], [(702, 50)]),
    "join": (
        joined("join"),
        [("rows", 7, 50), ("others", 8, 60)],
        [("a: 7, 8", 60)],
    ),
    "join of a transformed table": (
        lambda table, builder: counting(table, builder).join(others(builder), both, with_key=True),
        [("rows", 7, 50), ("others", 8, 60)],
        [("a: 703, 8", 60)],
    ),
    "suppressed table that was emitted": (
        lambda table, _: table.map_values(lambda value: value + 1, value=int).suppress(until_time_limit(0)),
        [("rows", 7, 50)],
        [(8, 50)],
    ),
    "left join without a right row": (
        joined("left_join"),
        [("rows", 7, 50)],
        [("a: 7, None", 50)],
    ),
    "left join without a left row": (
        joined("left_join"),
        [("others", 8, 60)],
        [(None, 5)],
    ),
    "outer join without a left row": (
        joined("outer_join"),
        [("others", 8, 60)],
        [("a: None, 8", 60)],
    ),
    "outer join without any row": (
        joined("outer_join"),
        [],
        [(None, 5)],
    ),
}


@pytest.mark.parametrize("emit", ["every-update", "latest"])
@pytest.mark.parametrize("operator", DERIVED)
def test_a_derived_table_is_read_with_the_timestamp_of_its_row(operator: str, emit: str) -> None:
    derive, rows, expected = DERIVED[operator]

    def define(builder: TopologyBuilder) -> None:
        reading = builder.table("reading", key=str, value=int)
        derived = derive(builder.table("rows", key=str, value=int), builder)
        reading.left_join(derived, lambda _reading, found: [found], value=list).to_stream().to("out")

    engine = engine_for(define, emit=emit)
    for topic, value, timestamp in rows:
        engine.pipe(topic, "a", value, timestamp)
    engine.commit()
    engine.take_outputs()
    engine.pipe("reading", "a", 1, 5)
    engine.commit()
    assert [(value[0], timestamp) for _, value, timestamp in emitted(engine, "out")] == expected
