"""A task that goes on after exceptions keeps nothing of a record that failed, and everything of the others."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.output import Dropped
from eddyline.application.runtime.plan.failures import ExceptionHandlers
from eddyline.application.runtime.task.guarded import GuardedTask
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import TopologyBuilder, on_window_close, tumbling, until_window_closes
from eddyline.application.topology.exception_handlers import ErrorContext, Response
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.records import Headers, RecordMetadata, SourceRecord
from eddyline.application.topology.timestamps import MAX_TIMESTAMP
from tests.runtime.failing_flows import fail_on_bad, run

Define: TypeAlias = Callable[[TopologyBuilder], object]
TRACE: Headers = (("trace", b"x"),)


def guarded(define: Define) -> GuardedTask:
    builder = TopologyBuilder()
    define(builder)
    handlers = ExceptionHandlers("continue", "continue")
    return GuardedTask(builder.build(), 0, 0, handlers=handlers, stores=MemoryStateStores(), keep_dropped=True)


def unguarded(define: Define) -> Task:
    builder = TopologyBuilder()
    define(builder)
    return Task(builder.build(), 0, 0, stores=MemoryStateStores(), keep_dropped=True)


def checked(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=str).map_values(fail_on_bad, name="checked").to("out")


def counted_and_checked(builder: TopologyBuilder) -> None:
    """Count in windows, which drops late records, then check the value."""
    lines = builder.stream("in", key=str, value=str)
    lines.group_by_key().windowed_by(tumbling(10, grace=0)).count(store="counts")
    lines.map_values(fail_on_bad, name="checked").to("out")


def test_a_record_has_its_headers_and_an_exception_its_position() -> None:
    task = guarded(checked)
    task.process("in", "k", "a", 5, TRACE, partition=3, offset=8)
    task.process("in", "k", "bad", 6, TRACE, partition=3, offset=9)
    assert [(output.key, output.value, output.timestamp, output.headers) for output in task.take_output()] == [
        ("k", "a", 5, TRACE)
    ]
    (failure,) = task.take_failures()
    assert failure.context == ("checked", "0_0", "in", 3, 9, 6, "k", TRACE)
    assert task.take_failures() == []


@pytest.mark.parametrize("new_task", [unguarded, guarded])
@pytest.mark.parametrize("timestamp", [-1, MAX_TIMESTAMP + 1])
def test_a_dropped_record_is_kept_whole(new_task: Callable[[Define], Task], timestamp: int) -> None:
    task = new_task(checked)
    task.process("in", "k", "v", timestamp, TRACE, partition=3, offset=9)
    source = RecordMetadata("in", 3, 9, timestamp, TRACE)
    assert task.take_dropped() == [Dropped("in", "invalid-timestamp", "k", "v", timestamp, TRACE, source)]
    assert dict(task.take_drops()) == {("in", "invalid-timestamp"): 1}


@pytest.mark.parametrize("before", [0, 1])
def test_what_a_record_has_dropped_before_it_failed_is_not_counted(before: int) -> None:
    task = guarded(counted_and_checked)
    task.process("in", "k", "a", 100)
    for _ in range(before):
        task.process("in", "k", "b", 1)
    assert len(task.take_dropped()) == before
    task.process("in", "k", "bad", 2)
    assert task.take_dropped() == []
    ((late, _),) = [*unguarded_drops()]
    assert dict(task.take_drops()) == {("checked", "processing-error"): 1, **({late: before} if before else {})}


def unguarded_drops() -> list[tuple[tuple[str, str], int]]:
    """Return node and reason of a late record, with its number."""
    task = unguarded(counted_and_checked)
    for timestamp in (100, 1):
        task.process("in", "k", "a", timestamp)
    return list(task.take_drops().items())


class Scheduling(Processor[str, str, str, str]):
    """Schedules a punctuation for each record, then fails on some."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)

    def process(self, record: Record[str, str]) -> None:
        self.context.schedule(10, PunctuationType.STREAM_TIME, lambda now: self.context.forward(record.with_value(f"at {now}")))
        fail_on_bad(record.value)


def test_a_punctuation_that_a_failed_record_scheduled_is_not_called() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str).process(Scheduling).to("out")

    task = guarded(define)
    task.process("in", "k", "a", 0)
    task.take_output()
    task.process("in", "k", "bad", 10)
    task.process("in", "k", "bad", 20)
    assert [output.value for output in task.take_output()] == []
    task.process("in", "k", "b", 30)
    assert [output.value for output in task.take_output()] == ["at 30", "at 30"], "those that records a and b scheduled"


def test_a_result_that_failed_is_not_counted_if_the_record_that_closed_its_window_fails_too() -> None:
    def define(builder: TopologyBuilder) -> None:
        lines = builder.stream("in", key=str, value=str)
        grouped = lines.group_by_key().windowed_by(tumbling(10, grace=0), emit_strategy=on_window_close())
        results = grouped.reduce(lambda _, new: new).to_stream()
        results.map(lambda key, value: (key.key, fail_on_bad(value.replace("poor", "bad"))), name="results").to("out")
        lines.map_values(fail_on_bad, name="checked").to("checked")

    task = guarded(define)
    task.process("in", "k", "poor", 1)
    task.process("in", "k", "bad", 20)
    assert [failure.context.operator for failure in task.take_failures()] == ["checked"]
    assert dict(task.take_drops()) == {("checked", "processing-error"): 1}
    task.process("in", "k", "a", 20)
    assert [failure.context.operator for failure in task.take_failures()] == ["results"]
    assert dict(task.take_drops()) == {("results", "processing-error"): 1}


FINAL: dict[str, Callable[[Any], Any]] = {
    "emitted on close": lambda group: group.windowed_by(tumbling(10, grace=0), emit_strategy=on_window_close()).count(),
    "suppressed": lambda group: group.windowed_by(tumbling(10, grace=0)).count().suppress(until_window_closes()),
    "suppressed by size": lambda group: (
        group.windowed_by(tumbling(10, grace=0)).count().suppress(until_window_closes(max_bytes=1_000))
    ),
}


@pytest.mark.parametrize("name", FINAL)
def test_a_record_that_fails_neither_adds_a_final_result_nor_takes_one(name: str) -> None:
    def define(builder: TopologyBuilder) -> None:
        lines = builder.stream("in", key=str, value=str)
        FINAL[name](lines.group_by_key()).to_stream(lambda key, _: key.key).to("final")
        lines.map_values(fail_on_bad, name="checked").to("out")

    task = guarded(define)
    for key, value, timestamp in (("a", "1", 1), ("b", "bad", 2), ("c", "bad", 100), ("d", "1", 101)):
        task.process("in", key, value, timestamp)
    assert [(failure.context.operator, failure.context.key) for failure in task.take_failures()] == [
        ("checked", "b"),
        ("checked", "c"),
    ]
    final = [(output.key, output.value) for output in task.take_output() if output.sink.topic == "final"]
    assert final == [("a", 1)]


def test_the_undo_log_has_the_changes_of_one_record_only() -> None:
    task = guarded(counted_and_checked)
    sizes = []
    for number in range(4):
        task.process("in", "k", "a", number)
        sizes.append(len(task.undo))
    assert sizes[1:] == [sizes[-1]] * 3


@pytest.mark.parametrize(("timestamp", "expected"), [(0, 0), (-1, None), (None, None)])
def test_an_extracted_timestamp_may_be_zero_but_not_negative(timestamp: int | None, expected: int | None) -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str, timestamp=lambda _: timestamp).to("out")

    assert unguarded(define).event_time(SourceRecord("in", 0, 0, 7, "k", "v", ())) == expected


def test_an_update_that_fails_at_the_commit_ends_the_run_with_a_note_that_has_its_key() -> None:
    def define(builder: TopologyBuilder) -> None:
        table = builder.table("in", key=str, value=str, store="rows")
        table.to_stream().map_values(fail_on_bad, name="checked").to("out")

    builder = TopologyBuilder()
    define(builder)
    task = Task(builder.build(), 0, 0, stores=MemoryStateStores(), emit="latest")
    task.process("in", "k", "bad", 5)
    with pytest.raises(LookupError) as raised:
        task.commit()
    (note,) = raised.value.__notes__
    assert note.startswith("operator 'checked' of task 0_0, no record, key 'k', event time 1970-01-01T00:00:00.005Z; ")


class Ticking(Processor[str, str, str, Any]):
    """Forwards a result that cannot be encoded at each punctuation, and for each record `bad`."""

    def init(self, context: ProcessorContext[str, Any]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.STREAM_TIME, lambda now: context.forward(Record("tick", object(), now + 1)))

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(Record("new key", object() if record.value == "bad" else 1, 77))


def test_a_result_without_a_record_is_reported_with_its_own_key_and_timestamp() -> None:
    contexts: list[tuple[Any, ...]] = []

    def handle(context: ErrorContext, _error: Exception) -> Response:
        contexts.append((context.operator, context.offset, context.key, context.timestamp))
        return "continue"

    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str).process(Ticking).to("out", name="results")

    run(define, "a", "bad", timestamps=(10, 11), production_exception_handler=handle)
    assert contexts == [("results", None, "tick", 11), ("results", 1, "k", 11)]
