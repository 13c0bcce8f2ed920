"""filter and filter_not on tables."""

from typing import Any

from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology import Table, TopologyBuilder
from eddyline.testing import MemoryEngine
from tests.operators.running import emitted, engine_for


def engine_with(operator: Any, store: str | None = "rows") -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        table: Table[str, int] = builder.table("in", key=str, value=int, store=store)
        operator(table).to_stream().to("out")

    return engine_for(define)


def pipe_all(engine: MemoryEngine, *values: int | None) -> MemoryEngine:
    for timestamp, value in enumerate(values):
        engine.pipe("in", "a", value, timestamp)
    return engine


def is_even(_key: str, value: int) -> bool:
    return value % 2 == 0


def test_a_row_that_no_longer_matches_is_deleted_once() -> None:
    assert emitted(pipe_all(engine_with(lambda table: table.filter(is_even)), 2, 3, 5, 4)) == [
        ("a", 2, 0),
        ("a", None, 1),
        ("a", 4, 3),
    ]


def test_filter_not_keeps_the_rows_that_do_not_match() -> None:
    assert emitted(pipe_all(engine_with(lambda table: table.filter_not(is_even)), 2, 3, 4)) == [("a", 3, 1), ("a", None, 2)]


def test_a_deletion_is_forwarded_only_for_rows_that_matched() -> None:
    assert emitted(pipe_all(engine_with(lambda table: table.filter(is_even)), 1, None, 2, None)) == [("a", 2, 2), ("a", None, 3)]


def test_without_a_named_store_every_row_that_does_not_match_is_deleted() -> None:
    engine = pipe_all(engine_with(lambda table: table.filter(is_even), store=None), 1, 2, None)
    assert emitted(engine) == [("a", None, 0), ("a", 2, 1), ("a", None, 2)]


def test_with_a_store_the_filtered_rows_can_be_read() -> None:
    engine = pipe_all(engine_with(lambda table: table.filter(is_even, store="even")), 2)
    engine.pipe("in", "b", 3, 9)
    assert engine.store("even") == [StoreRow("a", 2, None, 0)]


def test_the_predicate_gets_the_key_for_the_old_value_too() -> None:
    engine = engine_with(lambda table: table.filter(lambda key, value: key == "a" and value > 1))
    assert emitted(pipe_all(engine, 2, 1)) == [("a", 2, 0), ("a", None, 1)]
