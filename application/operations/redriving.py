"""Writes dead letters back to the topics that they came from, each once, however often it is asked for.

Which letters are asked for, and in which order, does not matter: what counts is the record that a letter holds. A record that
fails again lies at a new offset, so its new letter can be redriven again.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from eddyline.application.operations.dead_letter_log import DeadLetter, DeadLetterLog, NoSuchLetterError
from eddyline.application.operations.redrive_notes import CutOff, Identity, Notes, begun_note, done_note, identity
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import EventLog, UnknownTopicError
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.runtime.dead_letters import dead_letter_topic, original_headers
from eddyline.application.runtime.decoding import UnreadableRecordError

_NOTES_SLOT, _RECORDS_SLOT = 0, 1
_BATCH_LETTERS = 500
_BATCH_BYTES = 16 << 20
_PAUSE_S = 0.05


class Outcome(StrEnum):
    """What became of a letter that was to be redriven."""

    WRITTEN = "written"
    IN_ALREADY = "in already"
    IMPOSSIBLE = "cannot be"


class Step(NamedTuple):
    """A letter, what became of it, and why where it cannot be redriven."""

    letter: DeadLetter
    outcome: Outcome
    why: str = ""


class RedriveError(RuntimeError):
    """Letters could not be redriven; the message says what stands in the way. Nothing was doubled."""


class Redriving:
    """Redrives the dead letters of an application.

    What has been redriven is noted in the topic `<application.id>-dead-letters-redriven`. Several processes may redrive at once.
    `timeout_s` is how long it may take until a note of another process can be read.
    """

    def __init__(self, log: EventLog, sink: EventSink, clock: Clock, application_id: str, *, timeout_s: float = 60.0) -> None:
        self._log, self._sink, self._clock, self._timeout_s = log, sink, clock, timeout_s
        self._letters = DeadLetterLog(log, application_id)
        self._writer = f"{application_id}-redrive"
        self._topic = f"{dead_letter_topic(application_id)}-redriven"
        self._notes = Notes(log, self._topic)
        self._is_made = False
        self._partitions: dict[str, int | None] = {}

    def is_redriven(self, letter: DeadLetter) -> bool:
        """Whether the letter's record was written back, as far as `refresh` knew."""
        return self._notes.has(identity(letter))

    def refresh(self) -> None:
        """Takes up what other processes have done."""
        self._notes.read()

    def preview(self, letters: Iterable[DeadLetter]) -> Iterator[Step]:
        """What `redrive` would do; writes nothing."""
        self.refresh()
        own: set[Identity] = set()
        for letter in letters:
            step = self._considered(letter, own)
            own.add(identity(letter))
            yield step

    def redrive(self, letters: Iterable[DeadLetter]) -> Iterator[Step]:
        """Writes the letters' records as they were, without what makes them letters, to the partitions that they came from.

        A batch that an earlier call left unfinished is finished first, and its letters are among the steps. Raises RedriveError,
        and what log and sink raise.
        """
        yield from self._settled()
        for batch in _batches(letters):
            yield from self._redriven(batch)

    def _redriven(self, letters: Sequence[DeadLetter]) -> Iterator[Step]:
        while True:
            own: set[Identity] = set()
            steps: list[Step] = []
            for letter in letters:
                steps.append(self._considered(letter, own))
                own.add(identity(letter))
            wanted = [step.letter for step in steps if step.outcome is Outcome.WRITTEN]
            number = self._notes.next_batch
            if not wanted or self._begin(number, wanted):
                break
            self._wait_until(partial(self._is_noted, number), number)
            yield from self._settled()
        if wanted:
            self._finish(number, wanted)
        yield from steps

    def _considered(self, letter: DeadLetter, own: set[Identity]) -> Step:
        which = identity(letter)
        obstacle = self._obstacle(letter)
        if obstacle:
            return Step(letter, Outcome.IMPOSSIBLE, obstacle)
        return Step(letter, Outcome.IN_ALREADY if which in own or self._notes.has(which) else Outcome.WRITTEN)

    def _settled(self) -> Iterator[Step]:
        """Reads the notes, and writes the batch again that was cut off, unless another process is just writing it."""
        self.refresh()
        unfinished = self._notes.cut_off
        if unfinished is None:
            return
        letters = [letter for letter in self._still_there(unfinished) if not self._obstacle(letter)]
        try:
            written = self._finish(unfinished.batch, letters)
        except Exception as error:
            places = ", ".join(map(str, unfinished.places))
            raise RedriveError(f"an earlier redrive, of {places}, was cut off and cannot be finished: {error}") from error
        yield from (Step(letter, Outcome.WRITTEN) for letter in letters if written)

    def _still_there(self, unfinished: CutOff) -> Iterator[DeadLetter]:
        for place in unfinished.places:
            try:
                yield self._letters.at(place)
            except NoSuchLetterError:
                continue

    def _begin(self, batch: int, letters: Sequence[DeadLetter]) -> bool:
        """Notes what will be written; False when another process was faster with this number."""
        if not self._is_made:
            self._sink.create_topic(self._topic, 1)
            self._is_made = True
        note = begun_note(self._topic, batch, letters, self._clock.now_ms())
        if not self._sink.write(self._writer, _NOTES_SLOT, batch, [note]):
            return False
        self._notes.begun(batch, letters)
        return True

    def _finish(self, batch: int, letters: Sequence[DeadLetter]) -> bool:
        note = done_note(self._topic, batch, letters, self._clock.now_ms())
        written = self._sink.write(self._writer, _RECORDS_SLOT, batch, [*map(_record, letters), note])
        if written:
            self._notes.done(batch, letters)
        else:
            self._wait_until(lambda: self._notes.cut_off is None, batch)
        return written

    def _is_noted(self, batch: int) -> bool:
        return self._notes.next_batch > batch

    def _wait_until(self, told: Callable[[], bool], batch: int) -> None:
        """Returns when the notes say what they must: readers see them a moment after they were written."""
        deadline = time.monotonic() + self._timeout_s
        while not told():
            if time.monotonic() > deadline:
                raise RedriveError(
                    f"batch {batch} was written before, but topic '{self._topic}' does not say so; if it was emptied or removed, "
                    "nobody knows what has been redriven: put it back"
                )
            time.sleep(_PAUSE_S)
            self.refresh()

    def _obstacle(self, letter: DeadLetter) -> str:
        """Why the letter cannot be redriven, nothing where it can."""
        reason = letter.reason
        if reason.exception == UnreadableRecordError.__name__:
            return f"it is no record but what the log could not read as one ({reason.message}); mend it by hand and write it anew"
        if not reason.topic or reason.partition is None or reason.offset is None:
            return "it does not say which topic, partition and offset it came from, or lay behind a repartition, in no topic"
        if reason.topic not in self._partitions:
            self._partitions[reason.topic] = self._partitions_of(reason.topic)
        partitions = self._partitions[reason.topic]
        if partitions is None:
            return f"its topic '{reason.topic}' is not there any more"
        if reason.partition >= partitions:
            return f"its topic '{reason.topic}' has no partition {reason.partition} any more; it has 0 to {partitions - 1}"
        return ""

    def _partitions_of(self, topic: str) -> int | None:
        try:
            return self._log.partitions(topic)
        except UnknownTopicError:
            return None


def _batches(letters: Iterable[DeadLetter]) -> Iterator[list[DeadLetter]]:
    """Portions that fit into one write, each in the order that the records had."""
    batch: list[DeadLetter] = []
    size = 0
    for letter in letters:
        batch.append(letter)
        size += len(letter.record.key or b"") + len(letter.record.value or b"")
        if len(batch) >= _BATCH_LETTERS or size >= _BATCH_BYTES:
            yield sorted(batch, key=_origin)
            batch, size = [], 0
    if batch:
        yield sorted(batch, key=_origin)


def _origin(letter: DeadLetter) -> tuple[str, int, int]:
    reason = letter.reason
    return reason.topic, reason.partition or 0, reason.offset or 0


def _record(letter: DeadLetter) -> SinkRecord:
    _, record, reason = letter
    headers = original_headers(record.headers)
    return SinkRecord(reason.topic, record.key, record.value, record.timestamp, headers, reason.partition)
