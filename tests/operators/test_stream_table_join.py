"""join and left_join of a stream with a table, and with a global table."""

from typing import Any

import pytest

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Stream, TopologyBuilder
from eddyline.testing import MemoryEngine
from tests.operators.running import emitted, engine_for


def pair(left: str, right: str | None) -> str:
    return f"{left}/{right}"


def with_table(operator: str, **options: Any) -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        table = builder.table("table", key=str, value=str)
        stream: Stream[str, str] = builder.stream("stream", key=str, value=str)
        getattr(stream, operator)(table, pair, name="joined").to("out")

    return engine_for(define, **options)


def with_global_table(operator: str, **options: Any) -> MemoryEngine:
    def row_key(_key: str | None, value: str) -> str | None:
        return value if value != "nobody" else None

    def define(builder: TopologyBuilder) -> None:
        table = builder.global_table("table", key=str, value=str)
        stream: Stream[str, str] = builder.stream("stream", key=str, value=str)
        getattr(stream, operator)(table, pair, key_selector=row_key, name="joined").to("out")

    return engine_for(define, **options)


def test_a_record_is_joined_with_the_latest_row_and_keeps_its_timestamp() -> None:
    engine = with_table("join")
    engine.pipe("stream", "a", "too early", 0)
    engine.pipe("table", "a", "r1", 100)
    engine.pipe("stream", "a", "l1", 10)
    engine.pipe("table", "a", None, 5)
    engine.pipe("stream", "a", "too late", 200)
    assert emitted(engine) == [("a", "l1/r1", 10)]


def test_a_left_join_keeps_records_without_a_row_or_a_key() -> None:
    engine = with_table("left_join")
    engine.pipe("stream", "a", "l1", 0)
    engine.pipe("stream", None, "l2", 1)
    assert emitted(engine) == [("a", "l1/None", 0), (None, "l2/None", 1)]


def test_an_inner_join_drops_records_with_null_keys_or_null_values() -> None:
    engine = with_table("join")
    engine.pipe("stream", None, "l", 0)
    engine.pipe("stream", "a", None, 0)
    assert engine.drops == {("joined", "null-key"): 1, ("joined", "null-value"): 1}


@pytest.mark.parametrize("partitions", [1, 3])
def test_a_global_table_is_joined_by_the_selected_key_in_every_task(partitions: int) -> None:
    engine = with_global_table("join", partitions=partitions)
    engine.pipe("table", "ann", "r1", 100)
    for number in range(6):
        engine.pipe("stream", f"k{number}", "ann", number)
    engine.pipe("stream", None, "ann", 7)
    engine.pipe("stream", "k", "bob", 8)
    assert emitted(engine) == [*((f"k{number}", "ann/r1", number) for number in range(6)), (None, "ann/r1", 7)]
    assert [(row.key, row.value) for row in engine.store("table-store")] == [("ann", "r1")]


def test_with_a_null_selected_key_an_inner_join_drops_the_record_and_a_left_join_keeps_it() -> None:
    inner, left = with_global_table("join"), with_global_table("left_join")
    for engine in (inner, left):
        engine.pipe("stream", "k", "nobody", 0)
    assert (emitted(inner), inner.drops) == ([], {("joined", "null-join-key"): 1})
    assert emitted(left) == [("k", "nobody/None", 0)]


def test_records_of_a_global_table_do_not_advance_stream_time() -> None:
    task = Task(with_global_table("join").topology, 0, 0, stores=MemoryStateStores())
    task.process("table", "ann", "r1", 100)
    task.process("stream", "k", "ann", 5)
    assert ([output.value for output in task.take_output()], task.stream_time) == (["ann/r1"], 5)
