"""join and left_join of a stream with a versioned table, at once and after a grace period."""

from typing import Any

import pytest

from eddyline import TopologyBuilder, TopologyError, join_windows, versioned_key_value_store
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.plan.failures import ExceptionHandlers
from eddyline.application.runtime.task.guarded import GuardedTask
from eddyline.application.runtime.task.task import Task
from eddyline.testing import MemoryEngine
from tests.operators.running import emitted, engine_for
from tests.runtime.failing_flows import fail_on_bad


def pair(left: str, right: str | None) -> str:
    return f"{left}/{right}"


def joined(builder: TopologyBuilder, operator: str = "join", *, history: int = 100, grace: int | None = None) -> None:
    table = builder.table("table", key=str, value=str, store=versioned_key_value_store("versions", history_retention=history))
    join: Any = getattr(builder.stream("stream", key=str, value=str), operator)
    join(table, pair, grace=grace, name="joined").to("out")


def engine_with(operator: str = "join", **options: Any) -> MemoryEngine:
    return engine_for(lambda builder: joined(builder, operator, **options))


def test_a_record_is_joined_with_the_row_as_of_its_timestamp() -> None:
    engine = engine_with()
    engine.pipe("table", "a", "old", 10)
    engine.pipe("table", "a", "new", 20)
    for timestamp in (9, 19, 20):
        engine.pipe("stream", "a", "l", timestamp)
    assert emitted(engine) == [("a", "l/old", 19), ("a", "l/new", 20)]


def test_with_a_grace_period_a_record_sees_updates_that_arrive_later() -> None:
    engine = engine_with(grace=10)
    engine.pipe("stream", "a", "l", 20, (("h", b"1"),))
    engine.pipe("table", "a", "r", 15)
    engine.pipe("stream", "a", "next", 29)
    assert emitted(engine) == []
    engine.pipe("stream", "b", "end", 30)
    assert emitted(engine) == [("a", "l/r", 20)]
    assert engine.outputs()[0].headers == (("h", b"1"),)


def test_a_record_that_is_older_than_the_grace_period_is_joined_at_once() -> None:
    engine = engine_with("left_join", grace=10)
    engine.pipe("stream", "a", "l", 30)
    engine.pipe("stream", "a", "late", 19)
    engine.pipe("stream", "a", "in time", 20)
    assert emitted(engine) == [("a", "late/None", 19), ("a", "in time/None", 20)]


def test_records_without_a_key_or_value_do_not_wait() -> None:
    engine = engine_with("left_join", grace=10)
    engine.pipe("stream", None, "l", 30)
    engine.pipe("stream", "a", None, 30)
    assert emitted(engine) == [(None, "l/None", 30)]
    assert engine.drops == {("joined", "null-value"): 1}


def test_the_table_moves_no_stream_time_of_the_join() -> None:
    engine = engine_with(grace=10)
    engine.pipe("stream", "a", "l", 20)
    engine.pipe("table", "a", "r", 90)
    assert emitted(engine) == []


def test_buffered_records_and_versions_survive_a_restore() -> None:
    builder = TopologyBuilder()
    joined(builder, grace=10)
    topology = builder.build()
    original, copy = (Task(topology, 0, 0, stores=MemoryStateStores()) for _ in range(2))
    original.process("table", "a", "old", 10)
    original.process("table", "a", "new", 20)
    original.process("stream", "b", "second", 19)
    original.process("stream", "a", "first", 19)
    copy.restore(original.drain_changes())
    copy.process("stream", "a", "late", 8)
    copy.process("stream", "a", "end", 29)
    assert [(output.value, output.timestamp) for output in copy.take_output()] == [("first/old", 19)]


def test_a_grace_period_requires_a_versioned_table() -> None:
    builder = TopologyBuilder()
    table = builder.table("table", key=str, value=str)
    with pytest.raises(TopologyError, match="join 'joined' has a grace period, but table 'table-table' is not versioned"):
        builder.stream("stream", key=str, value=str).join(table, pair, grace=10, name="joined")


def test_a_grace_period_is_not_longer_than_the_history() -> None:
    with pytest.raises(TopologyError, match="grace period of 11 ms, but store 'versions' keeps a history of only 10 ms"):
        engine_with(history=10, grace=11)


def test_a_grace_period_is_not_for_joins_with_streams() -> None:
    builder = TopologyBuilder()
    stream: Any = builder.stream("stream", key=str, value=str)
    other, windows = builder.stream("other", key=str, value=str), join_windows(before=1, after=1, grace=0)
    with pytest.raises(TopologyError, match="is joined with stream 'other', but grace= is for versioned tables; pass windows="):
        stream.join(other, pair, grace=10, windows=windows)


def test_a_grace_period_is_not_for_joins_with_global_tables() -> None:
    builder = TopologyBuilder()
    stream: Any = builder.stream("stream", key=str, value=str)
    table = builder.global_table("other", key=str, value=str)
    with pytest.raises(TopologyError, match="is joined with global table 'other-store', but grace= is for versioned tables"):
        stream.join(table, pair, grace=10, key_selector=lambda key, _value: key)


def test_the_joiner_gets_the_key() -> None:
    def define(builder: TopologyBuilder) -> None:
        table = builder.table("table", key=str, value=str, store=versioned_key_value_store("versions", history_retention=100))
        builder.stream("stream", key=str, value=str).left_join(
            table, lambda key, left, right: f"{key}:{left}/{right}", with_key=True, value=str
        ).to("out")

    engine = engine_for(define)
    engine.pipe("table", "a", "r", 10)
    engine.pipe("stream", "a", "l", 10)
    engine.pipe("stream", "b", "l", 10)
    assert emitted(engine) == [("a", "a:l/r", 10), ("b", "b:l/None", 10)]


def test_a_record_that_fails_after_it_was_buffered_is_not_joined_later() -> None:
    builder = TopologyBuilder()
    table = builder.table("table", key=str, value=str, store=versioned_key_value_store("versions", history_retention=100))
    stream = builder.stream("stream", key=str, value=str)
    stream.left_join(table, pair, grace=10).to("out")
    stream.map_values(fail_on_bad).to("checked")
    task = GuardedTask(builder.build(), 0, 0, handlers=ExceptionHandlers("continue", "continue"), stores=MemoryStateStores())
    for key, value, timestamp in (("a", "bad", 1), ("b", "good", 2), ("c", "end", 30)):
        task.process("stream", key, value, timestamp)
    assert [output.value for output in task.take_output() if output.topic == "out"] == ["good/None"]
    assert len(task.take_failures()) == 1
