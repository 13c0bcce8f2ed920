"""With emit="latest" a row that was added and deleted between two commits emits nothing, as with the caches of Kafka Streams."""

from collections.abc import Callable
from typing import Any

import pytest

from eddyline import Table, TopologyBuilder, session, tumbling
from eddyline.adapters.memory.engine import MemoryEngine

WINDOWS = tumbling(100, grace=0)


def _added(total: int, value: int) -> int | None:
    return None if value == 0 else total + value


def _left(one: int, other: int) -> int:
    return one + other


def _table(builder: TopologyBuilder) -> Table[str, int]:
    return builder.table("in", key=str, value=int, store="t")


def _derived(operator: Callable[[Table[str, int]], Any]) -> Callable[[TopologyBuilder], Any]:
    return lambda builder: operator(_table(builder))


def _grouped(builder: TopologyBuilder) -> Any:
    return builder.stream("in", key=str, value=int).group_by_key()


TABLES: dict[str, Callable[[TopologyBuilder], Any]] = {
    "table": _table,
    "to_table": lambda builder: builder.stream("in", key=str, value=int).to_table(store="s"),
    "filter with a store": _derived(lambda table: table.filter(lambda _key, _value: True, store="s")),
    "map_values with a store": _derived(lambda table: table.map_values(lambda value: value, value=int, store="s")),
    "join": lambda builder: _table(builder).left_join(
        builder.table("right", key=str, value=int, store="r"), lambda left, _right: left, value=int, store="s"
    ),
    "join by foreign key": lambda builder: _table(builder).left_join(
        builder.table("right", key=str, value=int, store="r"),
        lambda left, _right: left,
        foreign_key=str,
        value=int,
        store="s",
    ),
}

AGGREGATES: dict[str, Callable[[TopologyBuilder], Any]] = {
    "aggregate": lambda builder: _grouped(builder).aggregate(int, _added, value=int, store="s"),
    "aggregate of windows": lambda builder: _grouped(builder).windowed_by(WINDOWS).aggregate(int, _added, value=int, store="s"),
    "aggregate of sessions": lambda builder: (
        _grouped(builder).windowed_by(session(100, grace=0)).aggregate(int, _added, merge=_left, value=int, store="s")
    ),
}


def _engine(define: Callable[[TopologyBuilder], Any], **options: Any) -> MemoryEngine:
    builder = TopologyBuilder()
    define(builder).to_stream().map(lambda _key, value: ("a", value), key=str, value=int).to("out")
    return MemoryEngine(builder.build(), **options)


def _emitted(engine: MemoryEngine, values: list[int | None], *, offset: int = 0) -> list[int | None]:
    for number, value in enumerate(values):
        engine.pipe("in", "a", value, timestamp=offset + number)
    engine.commit()
    return [output.value for output in engine.take_outputs()]


@pytest.mark.parametrize("handler", ["fail", "continue"])
@pytest.mark.parametrize("name", TABLES)
def test_a_row_that_was_added_and_deleted_is_not_emitted(name: str, handler: Any) -> None:
    engine = _engine(TABLES[name], emit="latest", processing_exception_handler=handler)
    assert _emitted(engine, [1, None]) == []
    assert _emitted(engine, [2]) == [2]
    assert _emitted(engine, [3, None]) == [None]
    assert _emitted(engine, [None]) == []


@pytest.mark.parametrize("handler", ["fail", "continue"])
@pytest.mark.parametrize("name", AGGREGATES)
def test_an_aggregate_that_was_added_and_deleted_is_not_emitted(name: str, handler: Any) -> None:
    engine = _engine(AGGREGATES[name], emit="latest", processing_exception_handler=handler)
    assert _emitted(engine, [1, 0]) == []
    assert _emitted(engine, [0]) == []


@pytest.mark.parametrize("name", AGGREGATES)
def test_every_update_is_emitted_as_a_tombstone_otherwise(name: str) -> None:
    engine = _engine(AGGREGATES[name])
    assert _emitted(engine, [0]) == [None]
    assert _emitted(engine, [0], offset=10) == [None]


def test_a_session_that_becomes_none_is_deleted_with_those_that_it_merges() -> None:
    engine = _engine(AGGREGATES["aggregate of sessions"])
    assert _emitted(engine, [1, 0]) == [1, None, None]
    assert engine.store("s") == []
