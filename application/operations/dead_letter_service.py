"""The dead letters of one application for servers: pages of them, the latest first, and redrives that exclude each other."""

import base64
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from threading import Lock
from typing import Final, NamedTuple

from eddyline.application.operations.dead_letter_log import DeadLetter, DeadLetterLog, LetterPosition
from eddyline.application.operations.redrive import Outcome, Redriver, RedriveResult
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.event_sink import EventSink

_CHUNK: Final = 200
_MOST_READ: Final = 20_000
_MOST_RESULTS: Final = 1_000


class RedriveInProgressError(RuntimeError):
    """Another redrive of the application has not ended yet; the message says so."""


class InvalidCursorError(ValueError):
    """A cursor that no page has returned."""


class ListedLetter(NamedTuple):
    """A dead letter, and whether its record was redriven."""

    letter: DeadLetter
    redriven: bool


class LetterPage(NamedTuple):
    """Dead letters, the latest first.

    Attributes:
        letters: The dead letters; few or none if none of the 20,000 that were read match.
        cursor: Continues after them, None if there are no more.
        total: The dead letters in the topic, those that do not match included.
    """

    letters: Sequence[ListedLetter]
    cursor: str | None
    total: int


class RedriveSummary(NamedTuple):
    """What became of dead letters.

    Attributes:
        counts: The number of dead letters by outcome.
        results: The first 1,000 results.
    """

    counts: Mapping[Outcome, int]
    results: Sequence[RedriveResult]


class DeadLetterService:
    """The dead letters of one application; its methods may be called in any thread.

    One redrive at a time writes; dead letters can be listed meanwhile.
    """

    def __init__(self, log: EventLog, sink: EventSink, clock: Clock, application_id: str) -> None:
        self.application_id = application_id
        self._log, self._letters = log, DeadLetterLog(log, application_id)
        self._redriver, self._journal = (Redriver(log, sink, clock, application_id) for _ in range(2))
        self._redriving, self._listing = Lock(), Lock()
        self._counted: dict[int, tuple[int, int, int]] = {}

    @property
    def topic(self) -> str:
        """The dead-letter topic of the application."""
        return self._letters.topic

    def page(
        self, limit: int = 50, cursor: str | None = None, *, topic: str | None = None, exception: str | None = None
    ) -> LetterPage:
        """Return a page of dead letters, the latest first, as far as those of each partition are in the order of time.

        Args:
            limit: The greatest number of dead letters.
            cursor: That of the page before.
            topic: Only records of this topic.
            exception: Only records that failed with this exception, such as `CodecError`.

        Raises:
            InvalidCursorError: The cursor is none of a page.
        """
        bounds = self._bounds()
        ends = {number: end for number, (_, end) in enumerate(bounds)} if cursor is None else _decoded(cursor)
        sources = [
            self._backwards(number, begin, min(ends.get(number, begin), end)) for number, (begin, end) in enumerate(bounds)
        ]
        found: list[DeadLetter] = []
        for read, letter in enumerate(merge(*sources, key=lambda letter: -letter.record.timestamp), start=1):
            ends[letter.position.partition] = letter.position.offset
            if topic in {None, letter.reason.topic} and exception in {None, letter.reason.exception}:
                found.append(letter)
            if len(found) == limit or read == _MOST_READ:
                break
        more = any(ends.get(number, begin) > begin for number, (begin, _) in enumerate(bounds))
        return LetterPage(self._listed(found), _encoded(ends) if more else None, self._total(bounds))

    def at(self, position: LetterPosition) -> ListedLetter:
        """Return the dead letter at a position. Raises NoSuchLetterError if there is none."""
        return self._listed([self._letters.at(position)])[0]

    def redrive(self, positions: Sequence[LetterPosition], *, dry_run: bool = False) -> RedriveSummary:
        """Write dead letters back to the topics that they were read from, each once; with `dry_run` write nothing.

        Raises:
            NoSuchLetterError: there is no dead letter at one of the positions; nothing was written.
            RedriveError: the redrive could not be completed. The errors of log and sink are raised too.
            RedriveInProgressError: Another redrive has not ended yet.
        """
        return self._redrive([self._letters.at(position) for position in positions], dry_run=dry_run)

    def redrive_all(self, topic: str | None = None, *, dry_run: bool = False) -> RedriveSummary:
        """Write all dead letters back, or those whose records are of one topic. Raises as `redrive`."""
        letters = (letter for letter in self._letters if topic in {None, letter.reason.topic})
        return self._redrive(letters, dry_run=dry_run)

    def _redrive(self, letters: Iterable[DeadLetter], *, dry_run: bool) -> RedriveSummary:
        counts = Counter[Outcome]()
        results: list[RedriveResult] = []
        if not self._redriving.acquire(blocking=False):
            raise RedriveInProgressError(f"dead letters of '{self.application_id}' are being redriven; try again later")
        try:
            for result in (self._redriver.preview if dry_run else self._redriver.redrive)(letters):
                counts[result.outcome] += 1
                if len(results) < _MOST_RESULTS:
                    results.append(result)
        finally:
            self._redriving.release()
        return RedriveSummary(counts, results)

    def _listed(self, letters: Iterable[DeadLetter]) -> list[ListedLetter]:
        with self._listing:
            self._journal.refresh()
            return [ListedLetter(letter, self._journal.is_redriven(letter)) for letter in letters]

    def _total(self, bounds: Iterable[tuple[int, int]]) -> int:
        """Return the number of dead letters, without transaction markers; those that were counted before are not read again."""
        with self._listing:
            counted = dict[int, tuple[int, int, int]]()
            for number, (begin, end) in enumerate(bounds):
                first, last, count = self._counted.get(number, (begin, begin, 0))
                if first != begin or last > end:
                    last, count = begin, 0
                count += sum(1 for _ in self._letters.between(number, last, end))
                counted[number] = begin, end, count
            self._counted = counted
            return sum(count for _, _, count in counted.values())

    def _bounds(self) -> list[tuple[int, int]]:
        if self.topic not in self._log.topics():
            return []
        return self._log.topic_bounds([self.topic])[self.topic]

    def _backwards(self, partition: int, begin: int, end: int) -> Iterator[DeadLetter]:
        """Yield the dead letters of a partition before an offset, the last one first."""
        while end > begin:
            start = max(begin, end - _CHUNK)
            yield from reversed(list(self._letters.between(partition, start, end)))
            end = start


def _encoded(ends: Mapping[int, int]) -> str:
    return base64.urlsafe_b64encode(json.dumps(sorted(ends.items()), separators=(",", ":")).encode()).decode()


def _decoded(cursor: str) -> dict[int, int]:
    try:
        ends = dict(json.loads(base64.b64decode(cursor, altchars=b"-_", validate=True)))
    except (ValueError, TypeError):
        ends = {"": ""}
    if not all(type(number) is int and number >= 0 for pair in ends.items() for number in pair):
        raise InvalidCursorError(f"invalid cursor '{cursor}'; pass the cursor of the page before, or none")
    return ends
