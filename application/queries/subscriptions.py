"""Subscriptions: the rows of a store that have changed since a position in its changelog."""

import re
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final
from zlib import crc32

from eddyline.application.ports.read_model import ChangelogPart, EntryChange
from eddyline.application.queries.answers import InvalidQueryError
from eddyline.application.runtime.progress.store_rows import StoreRow

_POSITION: Final = re.compile(r"[0-9a-f]{8}-([0-9]{1,6}:[0-9]{1,18}(,[0-9]{1,6}:[0-9]{1,18}){0,9999})?")
_RECENT: Final = 20_000
"""How many changes are kept for the subscriptions of all stores, so that they need not read the changelogs again."""

Positions = Mapping[int, int]
"""The next offset of the changelog by partition."""


@dataclass(frozen=True)
class ChangedRows:
    """What has changed in a store since the last time.

    Attributes:
        rows: The changed rows, each as it is after its last change; the value of a row that was deleted is None.
        position: The text from which a later subscription continues.
        missed: The position from which changes are missing, None if none are: read the store again.
        has_more: Whether there are more changes already.
    """

    rows: Sequence[StoreRow]
    position: str
    missed: str | None
    has_more: bool


class Subscription(ABC):
    """What a client follows; it holds a position only, so that a slow client costs no memory."""

    @abstractmethod
    def take(self, limit: int = 1_000) -> ChangedRows:
        """Return what has changed since the last call, in the partitions that this instance holds.

        Args:
            limit: The approximate number of changes after which the answer ends.

        Raises:
            QueryError: there is no such store any more, or an entry cannot be decoded.
        """

    @abstractmethod
    def close(self) -> None:
        """Stop calling `on_change`."""


class ChangeFeed:
    """The latest changes that were applied to a read model, and who wants to know of more."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._recent: deque[ChangelogPart] = deque()
        self._size = 0
        self._listeners: dict[object, tuple[str, Callable[[], None]]] = {}
        self._reached: dict[tuple[str, int], int] = {}
        self._changed: set[str] = set()

    @property
    def listeners(self) -> int:
        """The number of listeners."""
        return len(self._listeners)

    def listen(self, listener: object, store: str, on_change: Callable[[], None]) -> None:
        """Call `on_change` after changes of a store, in the thread that applies them, until `leave`."""
        with self._lock:
            self._listeners[listener] = (store, on_change)

    def leave(self, listener: object) -> None:
        """Stop calling a listener."""
        with self._lock:
            self._listeners.pop(listener, None)
            if not self._listeners:
                self._recent.clear()
                self._size = 0

    def add(self, part: ChangelogPart) -> None:
        """Keep a part that was applied, if anyone listens."""
        with self._lock:
            if not self._listeners:
                return
            self._recent.append(part)
            self._size += len(part.changes) + 1
            while self._size > _RECENT:
                self._size -= len(self._recent.popleft().changes) + 1

    def reached(self, store: str, partition: int, position: int) -> None:
        """Remember up to which offset a partition is applied, which another follower of the model may have done."""
        if self._reached.get((store, partition)) != position:
            self._reached[store, partition] = position
            self._changed.add(store)

    def notify(self) -> None:
        """Call the listeners of the stores that have reached other positions since the last call."""
        with self._lock:
            changed, self._changed = self._changed, set()
            called = [on_change for store, on_change in self._listeners.values() if store in changed]
        for on_change in called:
            on_change()

    def parts(self, store: str, partition: int, start: int) -> Iterator[ChangelogPart]:
        """Yield the recent parts of a partition that follow each other from an offset on; none if the first is not kept."""
        with self._lock:
            recent = tuple(self._recent)
        for part in recent:
            if (part.store, part.partition, part.start) == (store, partition, start):
                yield part
                start = part.end


def last_changes(changes: Sequence[tuple[int, EntryChange]]) -> list[EntryChange]:
    """Return the last change of each entry, in the order of these; changes are given with their partitions."""
    last: dict[object, EntryChange] = {}
    for partition, change in changes:
        entry_id = (partition, change.found_by)
        last.pop(entry_id, None)
        last[entry_id] = change
    return list(last.values())


def position_text(changelog: str, positions: Positions) -> str:
    """Return a position as text: a checksum of the id of the changelog, and `PARTITION:OFFSET`, separated by commas."""
    offsets = ",".join(f"{partition}:{offset}" for partition, offset in sorted(positions.items()))
    return f"{changelog_checksum(changelog)}-{offsets}"


def changelog_checksum(changelog: str) -> str:
    """Return the checksum of the id of a changelog, with which its positions begin."""
    return f"{crc32(changelog.encode()):08x}"


def parse_position(text: str) -> tuple[str, Positions]:
    """Return the checksum and the offsets in the text of a position.

    Raises:
        InvalidQueryError: the text is not that of a position.
    """
    if not _POSITION.fullmatch(text):
        shown = f"{text[:100]}…" if len(text) > len(text[:100]) else text
        raise InvalidQueryError(f"invalid position '{shown}'; pass the id of the last event unchanged, or none")
    checksum, _, offsets = text.partition("-")
    pairs = (part.partition(":") for part in offsets.split(",") if part)
    return checksum, {int(partition): int(offset) for partition, _, offset in pairs}
