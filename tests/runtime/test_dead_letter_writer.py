"""Records that a task cannot process are written as dead letters."""

from typing import Any

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.operators.output import Dropped
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import Headers, LogRecord, Position
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL
from eddyline.application.runtime.output.record_collector import RecordCollector
from eddyline.application.runtime.plan.dead_letters import original_headers, reason_in
from eddyline.application.runtime.plan.failures import Failure
from eddyline.application.runtime.task.dead_letter_writer import DeadLetterWriter
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.exception_handlers import ErrorContext, Response
from eddyline.application.topology.records import RecordMetadata
from tests.runtime.outlets import ListOutlet
from tests.runtime.plans import run_plan

WALL_CLOCK_MS = 1_000
TRACE: Headers = (("trace", b"x"),)


class Letters:
    """A dead-letter writer of a task that reads topic `lines` and repartition topic `moved-repartition`."""

    def __init__(self) -> None:
        builder = TopologyBuilder()
        builder.stream("lines", key=str, value=str).repartition(name="moved").to("out")
        self.log = MemoryEventLog()
        self.log.create_topic("lines", 2)
        plan = run_plan(builder.build(), self.log)
        task = Task(plan.topology, 0, 1, stores=plan.ports.stores, wall_clock_ms=WALL_CLOCK_MS)
        self.outlet = ListOutlet()
        self.writer = DeadLetterWriter(plan, task, RecordCollector(plan, 1, self.outlet, lambda _output: None))

    @property
    def records(self) -> list[tuple[Any, ...]]:
        """Topic, key, value, timestamp and original headers of the dead letters."""
        return [(*sent.record[:4], original_headers(sent.record.headers)) for sent in self.outlet.sent]

    @property
    def reasons(self) -> list[tuple[Any, ...]]:
        """Exception, message, topic, partition and offset of the dead letters."""
        reasons = [reason_in(sent.record.headers) for sent in self.outlet.sent]
        return [(reason.exception, reason.message, *reason[3:6]) for reason in reasons]


@pytest.fixture
def letters() -> Letters:
    return Letters()


def dropped(operator: str, *position: Any, reason: str = "late") -> Dropped:
    source = RecordMetadata(*Position(*position), timestamp=0, headers=()) if position else None
    return Dropped(operator, reason, None, None, 0, (), source)


def test_an_undecodable_record_is_written_and_counted_with_its_source_node(letters: Letters) -> None:
    letters.writer.undecodable(LogRecord("lines", 1, 8, 5, b"k", b"\xff", TRACE, 40), CodecError("no text"))
    assert letters.records == [("app-dead-letters", b"k", b"\xff", 5, TRACE)]
    assert letters.reasons == [("CodecError", "no text", "lines", 1, 8)]
    assert (letters.outlet.sent[0].arrival, letters.outlet.sent[0].to) == (40, None)
    assert (letters.writer.count, dict(letters.writer.drops)) == (1, {("lines", "undecodable"): 1})
    letters.writer.undecodable(LogRecord("lines", 1, 9, 5, b"k", b"\xff"), CodecError("no text"))
    assert (letters.writer.count, dict(letters.writer.drops)) == (2, {("lines", "undecodable"): 2})


def test_a_record_without_timestamp_and_arrival_number_is_written_with_the_wall_clock_time(letters: Letters) -> None:
    letters.writer.undecodable(LogRecord("lines", 1, 8, -1, None, b"torn"), CodecError("torn"))
    assert letters.records == [("app-dead-letters", None, b"torn", WALL_CLOCK_MS, ())]
    assert letters.outlet.sent[0].arrival == NO_ARRIVAL


def test_the_counts_begin_at_0_in_each_batch(letters: Letters) -> None:
    letters.writer.undecodable(LogRecord("lines", 1, 8, 5, None, b"torn"), CodecError("torn"))
    letters.writer.begin()
    assert (letters.writer.count, dict(letters.writer.drops)) == (0, {})


def test_dropped_records_are_written_as_they_are_in_the_log(letters: Letters) -> None:
    for value in (b"v0", b"v1", b"v2"):
        letters.log.append("lines", b"k", value, 5, TRACE, partition=1, arrival=40)
    letters.writer.dropped(
        [dropped("counts", "lines", 1, 2), dropped("counts", "lines", 1, 0, reason="null-key")], lambda _position: None
    )
    assert letters.records == [("app-dead-letters", b"k", b"v2", 5, TRACE), ("app-dead-letters", b"k", b"v0", 5, TRACE)]
    assert letters.reasons == [
        ("DroppedRecordError", "operator 'counts' dropped the record: late", "lines", 1, 2),
        ("DroppedRecordError", "operator 'counts' dropped the record: null-key", "lines", 1, 0),
    ]
    assert letters.outlet.sent[0].arrival == 40
    assert letters.writer.count == 2


def test_a_record_that_several_operators_dropped_is_written_once_with_the_first_reason(letters: Letters) -> None:
    letters.log.append("lines", b"k", b"v0", 5, partition=1)
    letters.writer.dropped([dropped("first", "lines", 1, 0), dropped("second", "lines", 1, 0)], lambda _position: None)
    assert [message for _, message, *_ in letters.reasons] == ["operator 'first' dropped the record: late"]


def test_a_repartitioned_record_is_written_as_it_was_received_with_the_full_name_of_its_topic(letters: Letters) -> None:
    letters.log.append("lines", b"k", b"not this one", 5, partition=1)
    received = LogRecord("moved-repartition", 1, 0, 6, b"key", b"value", TRACE)
    letters.writer.dropped([dropped("counts", "moved-repartition", 1, 3)], {Position("moved-repartition", 1, 3): received}.get)
    assert letters.records == [("app-dead-letters", b"key", b"value", 6, TRACE)]
    (reason,) = letters.reasons
    assert reason[2:5] == ("app-moved-repartition", 1, None)
    assert dict(letters.outlet.sent[0].record.headers)["__streams.errors.offset"] == b"-1"


def test_a_drop_that_no_record_caused_is_not_written(letters: Letters) -> None:
    letters.writer.dropped([dropped("counts")], lambda _position: None)
    assert letters.records == []


def failure(response: Response, offset: int | None) -> Failure:
    context = ErrorContext("node", "0_1") if offset is None else ErrorContext("node", "0_1", "lines", 1, offset)
    return Failure(context, LookupError("no"), response)


def test_only_failures_whose_response_is_dead_letter_are_written_and_counted(letters: Letters) -> None:
    for value in (b"a", b"b", b"c"):
        letters.log.append("lines", b"k", value, 5, partition=1)
    given: list[tuple[Response, int | None]] = [("continue", 0), ("dead-letter", None), ("dead-letter", 2), ("continue", 1)]
    letters.writer.failed([failure(response, offset) for response, offset in given], lambda _position: None)
    assert [record[1:3] for record in letters.records] == [(None, None), (b"k", b"c")]
    assert letters.writer.count == 2


def test_what_is_not_kept_is_read_from_the_log_again_in_ranges(letters: Letters, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3_000):
        letters.log.append("lines", b"k", b"%d" % number, number, partition=1)
    reads, read = [], letters.log.read

    def noted(*given: Any) -> Any:
        reads.append(given[2:])
        return read(*given)

    monkeypatch.setattr(letters.log, "read", noted)
    offsets = [2_900, *range(0, 500, 2)]
    letters.writer.failed([failure("dead-letter", offset) for offset in offsets], lambda _position: None)
    letters.writer.dropped([dropped("op", "lines", 1, offset) for offset in offsets], lambda _position: None)
    assert reads == [(0, 499), (2_900, 2_901)] * 2
    assert [record[2] for record in letters.records] == [b"%d" % offset for offset in offsets] * 2
