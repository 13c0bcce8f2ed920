"""filter and filter_not on tables."""

from typing import Any

from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.runtime.store_rows import StoreRow
from eddyline.application.topology import Table, TopologyBuilder
from tests.operators.running import engine_for, seen


def over(step: Any) -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        table: Table[str, int] = builder.table("in", key=str, value=int)
        step(table).to_stream().to("out")

    return engine_for(define)


def piped(engine: MemoryEngine, *values: int | None) -> MemoryEngine:
    for timestamp, value in enumerate(values):
        engine.pipe("in", "a", value, timestamp)
    return engine


def is_even(_key: str, value: int) -> bool:
    return value % 2 == 0


def test_a_row_that_the_predicate_no_longer_holds_for_is_deleted_once() -> None:
    assert seen(piped(over(lambda table: table.filter(is_even)), 2, 3, 5, 4)) == [("a", 2, 0), ("a", None, 1), ("a", 4, 3)]


def test_filter_not_keeps_the_others() -> None:
    assert seen(piped(over(lambda table: table.filter_not(is_even)), 2, 3, 4)) == [("a", 3, 1), ("a", None, 2)]


def test_a_deleted_row_is_passed_on_only_where_it_was_kept() -> None:
    assert seen(piped(over(lambda table: table.filter(is_even)), 1, None, 2, None)) == [("a", 2, 2), ("a", None, 3)]


def test_with_a_store_the_kept_rows_can_be_read() -> None:
    engine = piped(over(lambda table: table.filter(is_even, store="even")), 2)
    engine.pipe("in", "b", 3, 9)
    assert engine.store("even") == [StoreRow("a", 2, None, 0)]
