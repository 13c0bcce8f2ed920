"""Record queues yield the waiting records of a partition, decoded, one after the other."""

from collections.abc import Iterator, Sequence

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.codec import CodecError, CodecUnavailableError
from eddyline.application.ports.event_log import Headers, LogRecord, OffsetOutOfRangeError
from eddyline.application.runtime.input.batch_decoding import each_decoded
from eddyline.application.runtime.input.decoding import UnreadableRecordError
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, BufferedQueue, IncomingRecord, LogQueue, OffsetRange
from eddyline.application.runtime.plan.options import AutoOffsetReset
from tests.runtime.retention import log_of


class LogQueues:
    """Queues over a log whose topic `t` has two partitions; collects what is decoded and what cannot be decoded."""

    def __init__(self) -> None:
        self.log = MemoryEventLog()
        self.log.create_topic("t", 2)
        self.decoded: list[int] = []
        self.undecodable: list[tuple[int, str]] = []

    def queue(self, start: int, end: int, *, partition: int = 1, more: bool = False) -> LogQueue:
        return LogQueue(
            self.log, OffsetRange("t", partition, start, end, more), each_decoded(self._decode), self._collect_undecodable
        )

    def _decode(self, record: LogRecord) -> tuple[str, str, Headers]:
        self.decoded.append(record.offset)
        if record.error is not None:
            raise UnreadableRecordError(record.error)
        if record.value == b"bad":
            raise CodecError("the value is bad")
        if record.value == b"down":
            raise CodecUnavailableError("the registry is down")
        return (record.key or b"").decode(), (record.value or b"").decode(), record.headers

    def _collect_undecodable(self, record: LogRecord, error: Exception) -> None:
        self.undecodable.append((record.offset, str(error)))


@pytest.fixture
def queues() -> LogQueues:
    return LogQueues()


def append(queues: LogQueues, *values: bytes) -> None:
    for value in values:
        queues.log.append("t", b"k", value, 7, partition=1)


def values(queue: LogQueue | BufferedQueue) -> Iterator[str]:
    while queue.head is not None:
        yield queue.head.value
        queue.advance()


def test_the_head_is_the_decoded_record_with_its_position_timestamp_headers_and_arrival_number(queues: LogQueues) -> None:
    append(queues, b"v0")
    queues.log.append("t", b"k", b"v1", 9, (("trace", b"x"),), partition=1, arrival=40)
    assert queues.queue(1, 2).head == IncomingRecord("t", 1, 1, 9, "k", "v1", (("trace", b"x"),), 40)


def test_a_record_without_an_arrival_number_gets_none(queues: LogQueues) -> None:
    append(queues, b"v0")
    head = queues.queue(0, 1).head
    assert head is not None
    assert head.arrival == NO_ARRIVAL


def test_the_records_of_the_range_are_taken_in_order(queues: LogQueues) -> None:
    append(queues, b"v0", b"v1", b"v2", b"v3")
    assert list(values(queues.queue(1, 3))) == ["v1", "v2"]


def test_records_are_decoded_one_by_one_as_they_become_the_head(queues: LogQueues) -> None:
    append(queues, b"v0", b"v1", b"v2")
    queue = queues.queue(0, 3)
    assert queues.decoded == [0]
    queue.advance()
    assert queues.decoded == [0, 1]


def test_the_position_is_the_offset_of_the_head_and_at_last_the_end_of_the_range(queues: LogQueues) -> None:
    append(queues, b"v0", b"v1", b"v2")
    queue = queues.queue(0, 2)
    assert queue.position == 0
    queue.advance()
    assert queue.position == 1
    queue.advance()
    assert (queue.head, queue.position) == (None, 2)


def test_undecodable_records_are_skipped_and_reported_with_their_error(queues: LogQueues) -> None:
    append(queues, b"bad", b"v1")
    queues.log.append("t", None, b"torn", -1, partition=1, error="no JSON")
    append(queues, b"v3", b"bad")
    queue = queues.queue(0, 5)
    assert (queue.position, queues.undecodable) == (1, [(0, "the value is bad")])
    assert list(values(queue)) == ["v1", "v3"]
    queue.report_undecodable()
    assert queues.undecodable == [(0, "the value is bad"), (2, "no JSON"), (4, "the value is bad")]
    assert queue.position == 5


def test_a_codec_that_is_unavailable_does_not_make_a_record_undecodable(queues: LogQueues) -> None:
    append(queues, b"down")
    with pytest.raises(CodecUnavailableError):
        queues.queue(0, 1)
    assert queues.undecodable == []


def test_an_empty_range_is_not_read(queues: LogQueues) -> None:
    queue = queues.queue(0, 0, partition=9)
    assert (queue.head, queue.position) == (None, 0)


@pytest.mark.parametrize("more", [True, False])
def test_a_queue_has_more_if_its_range_has(queues: LogQueues, more: bool) -> None:
    append(queues, b"v0", b"v1")
    assert queues.queue(0, 1, more=more).more is more


@pytest.mark.parametrize(("reset", "offsets", "skipped"), [("earliest", [5, 6], 3), ("latest", [], 5)])
def test_records_that_the_log_has_lost_are_skipped_and_counted_if_that_is_accepted(
    reset: AutoOffsetReset, offsets: list[int], skipped: int
) -> None:
    log = log_of(9)
    log.delete_records("t", 0, 5)
    queue = LogQueue(log, OffsetRange("t", 0, 2, 7), each_decoded(undecoded), ignored, reset)
    taken = []
    while queue.head is not None:
        taken.append(queue.head.offset)
        queue.advance()
    assert (taken, queue.skipped) == (offsets, skipped)


def test_records_that_the_log_has_lost_are_an_error_unless_that_is_accepted() -> None:
    log = log_of(9)
    log.delete_records("t", 0, 5)
    with pytest.raises(OffsetOutOfRangeError, match="topic 't', partition 0: the flow is at offset 2, but the log has 5 to 9"):
        LogQueue(log, OffsetRange("t", 0, 2, 7), each_decoded(undecoded), ignored)


def undecoded(record: LogRecord) -> tuple[bytes | None, bytes | None, Headers]:
    return record.key, record.value, record.headers


def ignored(_record: LogRecord, _error: Exception) -> None:
    raise NotImplementedError


def incoming(*texts: str) -> Sequence[IncomingRecord]:
    return [IncomingRecord("t", 0, offset, 0, "k", text, (), NO_ARRIVAL) for offset, text in enumerate(texts)]


def test_a_buffered_queue_yields_its_records_in_order_and_counts_those_that_wait() -> None:
    queue = BufferedQueue(incoming("b", "a", "c"))
    assert (queue.size, queue.more) == (3, False)
    queue.advance()
    assert queue.size == 2
    assert list(values(queue)) == ["a", "c"]
    assert queue.size == 0


def test_an_empty_buffered_queue_has_no_head() -> None:
    queue = BufferedQueue([])
    assert (queue.size, queue.head) == (0, None)
