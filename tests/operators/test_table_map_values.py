"""map_values on tables."""

from typing import Any

from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology import Table, TopologyBuilder
from eddyline.testing import MemoryEngine
from tests.operators.running import emitted, engine_for


def engine_with(operator: Any) -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        table: Table[str, int] = builder.table("in", key=str, value=int)
        operator(table).to_stream().to("out")

    return engine_for(define)


def test_every_update_is_mapped_and_a_deletion_remains_a_deletion() -> None:
    engine = engine_with(lambda table: table.map_values(lambda value: value * 10))
    for timestamp, value in enumerate([1, 1, None, None]):
        engine.pipe("in", "a", value, timestamp)
    assert emitted(engine) == [("a", 10, 0), ("a", 10, 1), ("a", None, 2), ("a", None, 3)]


def test_with_key_the_mapper_takes_the_key_first() -> None:
    engine = engine_with(lambda table: table.map_values(lambda key, value: f"{key}{value}", with_key=True))
    engine.pipe("in", "a", 1, 0)
    assert emitted(engine) == [("a", "a1", 0)]


def test_with_a_store_the_mapped_rows_can_be_read() -> None:
    engine = engine_with(lambda table: table.map_values(lambda value: value * 10, value=int, store="tenfold"))
    engine.pipe("in", "a", 1, 7)
    assert engine.store("tenfold") == [StoreRow("a", 10, None, 7)]


def test_a_mapper_that_returns_none_deletes_the_row() -> None:
    engine = engine_with(lambda table: table.map_values(lambda value: value or None, value=int, store="some"))
    for timestamp, value in enumerate([1, 0]):
        engine.pipe("in", "a", value, timestamp)
    assert (emitted(engine)[-1], engine.store("some")) == (("a", None, 1), [])
