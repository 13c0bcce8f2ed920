"""Commits that are written while the tasks go on."""

import threading
from collections.abc import Mapping, Sequence

import pytest

from eddyline.adapters.local.alone import LockMembership, SinkCommits
from eddyline.adapters.local.engine import LocalEngine
from eddyline.adapters.local.log_feed import LogFeed
from eddyline.adapters.local.streams import Streams
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import RejectedRecordsError, SinkRecord
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.samples.text.word_count import word_count
from tests.adapters.local.running import engine_of
from tests.adapters.memory.running import built, fill, values
from tests.runtime.plans import memory_ports

_LOOKS = 3


class SlowCommits(SinkCommits):
    """Commits that are complete when they were looked at a few times; results with `rejected` as value are rejected."""

    def __init__(self, log: MemoryEventLog, rejected: bytes | None = None) -> None:
        super().__init__(MemoryEventSink(log), "app", None)
        self._rejected = rejected
        self._begun: tuple[int, Sequence[SinkRecord], Sequence[SinkRecord], Mapping[TopicPartition, int]] | None = None
        self._looks = 0
        self.begun = self.sent_meanwhile = 0

    def send(self, records: Sequence[SinkRecord]) -> None:
        super().send(records)
        if self._begun is not None:
            self.sent_meanwhile += len(records)

    def begin(
        self, batch: int, records: Sequence[SinkRecord], last: Sequence[SinkRecord], positions: Mapping[TopicPartition, int]
    ) -> bool:
        assert self._begun is None
        self._begun, self._looks = (batch, records, last, positions), 0
        self.begun += 1
        return True

    def is_written(self, *, wait: bool) -> bool:
        assert self._begun is not None
        self._looks += 1
        if not wait and self._looks <= _LOOKS:
            return False
        begun, self._begun = self._begun, None
        self.write(*begun)
        return True

    def write(
        self, batch: int, records: Sequence[SinkRecord], last: Sequence[SinkRecord], positions: Mapping[TopicPartition, int]
    ) -> bool:
        assert self._begun is None
        found = [record for record in records if record.value == self._rejected and self._rejected is not None]
        if found:
            raise RejectedRecordsError("too large", {record[:3]: ValueError("too large") for record in found})
        return super().write(batch, records, last, positions)


def engine_with(log: MemoryEventLog, commits: SlowCommits) -> LocalEngine:
    options = RunOptions(
        application_id="app",
        emit="every-update",
        trigger_interval_ms=0,
        commit_interval_ms=0,
        new_topic_partitions=1,
        max_batch_records=1,
        production_exception_handler=lambda _context, _error: "continue",
    )
    streams = Streams(lambda assignment, _revoked: LockMembership(assignment.partitions, None), LogFeed, lambda _member: commits)
    return LocalEngine(built(word_count), memory_ports(log), options, streams, MemoryClock())


def run(log: MemoryEventLog, commits: SlowCommits) -> RunReport:
    return engine_with(log, commits).run_available_now()


@pytest.fixture
def log() -> MemoryEventLog:
    log = MemoryEventLog()
    fill(log, "text-lines", *((b"x", number, number) for number in range(1, 13)))
    return log


def test_tasks_go_on_while_a_commit_is_written(log: MemoryEventLog) -> None:
    commits = SlowCommits(log)
    report = run(log, commits)
    assert values(log, "word-counts") == [b"%d" % number for number in range(1, 13)]
    assert commits.begun > 1
    assert commits.sent_meanwhile > 0
    assert report.transactions["committed"] == commits.begun
    assert report.written["word-counts"] == 12


def test_the_next_run_continues_after_a_commit_that_was_written_meanwhile(log: MemoryEventLog) -> None:
    run(log, SlowCommits(log))
    log.append("text-lines", b"k", b"x", 20)
    report = engine_of(built(word_count), log).run_available_now()
    assert (report.records, values(log, "word-counts")[-1]) == (1, b"13")


def test_results_that_are_rejected_meanwhile_are_left_to_the_production_handler(log: MemoryEventLog) -> None:
    commits = SlowCommits(log, rejected=b"2")
    report = run(log, commits)
    assert values(log, "word-counts") == [b"%d" % number for number in range(1, 13) if number != 2]
    assert sum(report.drops.values()) == 1
    assert report.written["word-counts"] == 11


def test_what_was_begun_is_written_when_the_run_is_stopped(log: MemoryEventLog) -> None:
    class NeverComplete(SlowCommits):
        def is_written(self, *, wait: bool) -> bool:
            engine.stop()
            return wait and super().is_written(wait=True)

    engine = engine_with(log, NeverComplete(log))
    thread = threading.Thread(target=engine.run)
    thread.start()
    thread.join(120)
    assert not thread.is_alive()
    assert values(log, "word-counts") == [b"1"]
