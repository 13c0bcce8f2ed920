"""Redrives dead letters: writes their records back to the topics that they came from, each record once.

It does not matter which dead letters are requested in which order, nor how often: a record that was redriven is not written
again. If it fails again, it has a new offset, so its new dead letter can be redriven too.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from eddyline.application.operations.dead_letter_log import DeadLetter, DeadLetterLog, NoSuchLetterError
from eddyline.application.operations.redrive_journal import (
    Identity,
    RedriveJournal,
    UnfinishedBatch,
    begun_entry,
    done_entry,
    identity,
)
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import EventLog, UnknownTopicError
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.runtime.input.decoding import UnreadableRecordError
from eddyline.application.runtime.plan.dead_letters import dead_letter_topic, original_headers

_JOURNAL_SLOT, _RECORDS_SLOT = 0, 1
_MAX_BATCH_LETTERS = 500
_MAX_BATCH_BYTES = 16 << 20
_POLL_S = 0.05


class Outcome(StrEnum):
    """What happened to a dead letter that was to be redriven."""

    WRITTEN = "written"
    ALREADY_REDRIVEN = "already redriven"
    NOT_REDRIVABLE = "not redrivable"


class RedriveResult(NamedTuple):
    """A dead letter, what happened to it, and the obstacle if it cannot be redriven."""

    letter: DeadLetter
    outcome: Outcome
    obstacle: str = ""


class RedriveError(RuntimeError):
    """A redrive that could not be completed; the message says why. No record was written twice."""


class Redriver:
    """Redrives the dead letters of an application.

    What was redriven is recorded in the topic `<application.id>-dead-letters-redriven`. Several processes may redrive at the
    same time. `timeout_s` limits the wait for a journal entry of another process to become readable.
    """

    def __init__(self, log: EventLog, sink: EventSink, clock: Clock, application_id: str, *, timeout_s: float = 60.0) -> None:
        self._log, self._sink, self._clock, self._timeout_s = log, sink, clock, timeout_s
        self._letters = DeadLetterLog(log, application_id)
        self._writer = f"{application_id}-redrive"
        self._journal_topic = f"{dead_letter_topic(application_id)}-redriven"
        self._journal = RedriveJournal(log, self._journal_topic)
        self._journal_exists = False
        self._partition_counts: dict[str, int | None] = {}

    def is_redriven(self, letter: DeadLetter) -> bool:
        """Return whether the dead letter's record was redriven, as of the last `refresh`."""
        return self._journal.contains(identity(letter))

    def refresh(self) -> None:
        """Read what other processes have redriven."""
        self._journal.refresh()

    def preview(self, letters: Iterable[DeadLetter]) -> Iterator[RedriveResult]:
        """Return the results that `redrive` would have, without writing anything."""
        self.refresh()
        seen: set[Identity] = set()
        for letter in letters:
            result = self._assess(letter, seen)
            seen.add(identity(letter))
            yield result

    def redrive(self, letters: Iterable[DeadLetter]) -> Iterator[RedriveResult]:
        """Write the original records back to the partitions that they came from, without the headers of the dead letters.

        A batch that an earlier call left unfinished is completed first, and its dead letters are among the results.

        Raises:
            RedriveError: the redrive could not be completed. The errors of log and sink are raised too.
        """
        yield from self._complete_unfinished()
        for batch in _batches(letters):
            yield from self._redrive_batch(batch)

    def _redrive_batch(self, letters: Sequence[DeadLetter]) -> Iterator[RedriveResult]:
        while True:
            seen: set[Identity] = set()
            results: list[RedriveResult] = []
            for letter in letters:
                results.append(self._assess(letter, seen))
                seen.add(identity(letter))
            to_write = [result.letter for result in results if result.outcome is Outcome.WRITTEN]
            batch = self._journal.next_batch
            if not to_write or self._begin(batch, to_write):
                break
            self._wait_until(partial(self._is_begun, batch), batch)
            yield from self._complete_unfinished()
        if to_write:
            self._finish(batch, to_write)
        yield from results

    def _assess(self, letter: DeadLetter, seen: set[Identity]) -> RedriveResult:
        record = identity(letter)
        obstacle = self._obstacle(letter)
        if obstacle:
            return RedriveResult(letter, Outcome.NOT_REDRIVABLE, obstacle)
        if record in seen or self._journal.contains(record):
            return RedriveResult(letter, Outcome.ALREADY_REDRIVEN)
        return RedriveResult(letter, Outcome.WRITTEN)

    def _complete_unfinished(self) -> Iterator[RedriveResult]:
        """Read the journal and write an interrupted batch again, unless another process does so at the same time."""
        self.refresh()
        unfinished = self._journal.unfinished
        if unfinished is None:
            return
        letters = [letter for letter in self._existing(unfinished) if not self._obstacle(letter)]
        try:
            written = self._finish(unfinished.batch, letters)
        except Exception as error:
            positions = ", ".join(map(str, unfinished.positions))
            raise RedriveError(
                f"an earlier redrive of dead letters {positions} was interrupted and cannot be completed: {error}"
            ) from error
        yield from (RedriveResult(letter, Outcome.WRITTEN) for letter in letters if written)

    def _existing(self, unfinished: UnfinishedBatch) -> Iterator[DeadLetter]:
        for position in unfinished.positions:
            try:
                yield self._letters.at(position)
            except NoSuchLetterError:
                continue

    def _begin(self, batch: int, letters: Sequence[DeadLetter]) -> bool:
        """Write the first journal entry of a batch; False if another process has used its number."""
        if not self._journal_exists:
            self._sink.create_topic(self._journal_topic, 1)
            self._journal_exists = True
        entry = begun_entry(self._journal_topic, batch, letters, self._clock.now_ms())
        if not self._sink.write(self._writer, _JOURNAL_SLOT, batch, [entry]):
            return False
        self._journal.add_begun(batch, letters)
        return True

    def _finish(self, batch: int, letters: Sequence[DeadLetter]) -> bool:
        """Write the records of a batch with its second journal entry; False if another process has written them."""
        entry = done_entry(self._journal_topic, batch, letters, self._clock.now_ms())
        written = self._sink.write(self._writer, _RECORDS_SLOT, batch, [*map(_original_record, letters), entry])
        if written:
            self._journal.add_done(batch, letters)
        else:
            self._wait_until(lambda: self._journal.unfinished is None, batch)
        return written

    def _is_begun(self, batch: int) -> bool:
        return self._journal.next_batch > batch

    def _wait_until(self, condition: Callable[[], bool], batch: int) -> None:
        """Refresh the journal until the condition holds: entries become readable a moment after they were written."""
        deadline = time.monotonic() + self._timeout_s
        while not condition():
            if time.monotonic() > deadline:
                raise RedriveError(
                    f"batch {batch} was written before, but topic '{self._journal_topic}' has no entry of it; if the topic was"
                    " emptied or deleted, restore it: without it, records would be redriven twice"
                )
            time.sleep(_POLL_S)
            self.refresh()

    def _obstacle(self, letter: DeadLetter) -> str:
        """Return why the dead letter cannot be redriven, an empty text if it can."""
        reason = letter.reason
        if reason.exception == UnreadableRecordError.__name__:
            return f"the log could not parse it as a record ({reason.message}); correct it by hand and produce it again"
        if not reason.topic or reason.partition is None or reason.offset is None:
            return (
                "its headers do not name a topic, partition and offset; it failed after a repartition, or without a record, or "
                "it is a result that its topic did not accept"
            )
        if reason.topic not in self._partition_counts:
            self._partition_counts[reason.topic] = self._partition_count(reason.topic)
        partitions = self._partition_counts[reason.topic]
        if partitions is None:
            return f"its topic '{reason.topic}' no longer exists"
        if reason.partition >= partitions:
            return f"its topic '{reason.topic}' no longer has partition {reason.partition}; it has 0 to {partitions - 1}"
        return ""

    def _partition_count(self, topic: str) -> int | None:
        try:
            return self._log.partitions(topic)
        except UnknownTopicError:
            return None


def _batches(letters: Iterable[DeadLetter]) -> Iterator[list[DeadLetter]]:
    """Split dead letters into batches that fit into one write, each in the order of the original records."""
    batch: list[DeadLetter] = []
    size = 0
    for letter in letters:
        batch.append(letter)
        size += len(letter.record.key or b"") + len(letter.record.value or b"")
        if len(batch) >= _MAX_BATCH_LETTERS or size >= _MAX_BATCH_BYTES:
            yield sorted(batch, key=_original_position)
            batch, size = [], 0
    if batch:
        yield sorted(batch, key=_original_position)


def _original_position(letter: DeadLetter) -> tuple[str, int, int]:
    reason = letter.reason
    return reason.topic, reason.partition or 0, reason.offset or 0


def _original_record(letter: DeadLetter) -> SinkRecord:
    _, record, reason = letter
    headers = original_headers(record.headers)
    return SinkRecord(reason.topic, record.key, record.value, record.timestamp, headers, reason.partition)
