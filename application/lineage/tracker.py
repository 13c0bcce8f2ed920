"""Tracks the origins of values while tasks process records: what is current, and functions of users that pass origins on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from eddyline.application.lineage.origins import (
    Change,
    Changed,
    Origin,
    Origins,
    Traced,
    Triggered,
    Wide,
    joined,
    origins_of,
    plain,
)
from eddyline.application.ports.event_log import Position
from eddyline.application.topology.immutable import own_copy

_MOST_EVENTS: Final = 200
_MOST_DELETIONS: Final = 50_000


class StopReplayError(BaseException):
    """Ends a replay; it passes all handlers of exceptions."""


class Wanted(NamedTuple):
    """The topic and the timestamp (ms since the epoch) of the results that matter; others are not even encoded."""

    topic: str
    timestamp: int


NO_RESULTS: Final = Wanted("", -1)
"""No result matters."""


class Event(NamedTuple):
    """Something that happened to a watched record.

    Attributes:
        kind: `filtered`, `dropped`, `stored`, `missing` (a row that was looked up) or `none` (a function returned no record).
        node: The node, or the store.
        detail: The reason of a drop, or a key.
        fields: What else is known: times, or a change.
    """

    kind: str
    node: str
    detail: Any
    fields: dict[str, Any]


@dataclass
class Read:
    """A read of a store entry by a processor."""

    key: Any
    origins: Origins


class Frame:
    """What a processor has been given and has read since it was called."""

    def __init__(self, given: Origins) -> None:
        self.given = given
        self.reads: list[Read] = []

    def origins(self, key: Any) -> Origins:
        """Return the origins of what the processor emits or stores under a key.

        If it has read an entry of this key, that entry; otherwise all entries that it has read.
        """
        reads = [read.origins for read in self.reads if read.key == key or _has_key(read.key, key) or _has_key(key, read.key)]
        every = joined((self.given, *(read.origins for read in self.reads)))
        if not reads or len(reads) == len(self.reads):
            return every
        return Wide(joined((self.given, *reads)), every)


class Tracker:
    """The state of tracking in one replay; tasks are processed one after another.

    Attributes:
        trigger: The origins of the record that is being processed, None in commits and in wall-clock punctuation.
        cause_record: The input record that is being processed, or that a record of a repartition topic comes from.
        influences: Origins that may have influence on what the current record causes.
        cells: The origins of the numbers that an operator has read since the current commit began.
        changes: Whether the changes of stores become part of the origins.
        in_parts: Whether records are aggregated in parts where that is possible. Then stores are changed at commits only.
        wanted: The results that matter, None for all.
        watched: The only record whose origins are tracked, None for all records.
        events: What happened to the watched record, None if no record is watched.
        batch: The number of the current batch.
        taken: The number of records that tasks have taken from the log.
        history: The origins of all records that were taken, None if they are more than were asked for.
    """

    def __init__(
        self,
        on_record: Callable[[], None] = lambda: None,
        *,
        changes: bool = False,
        in_parts: bool = True,
        wanted: Wanted | None = None,
        watched: Position | None = None,
        history: int = 0,
    ) -> None:
        self.trigger: Origins = None
        self.influences: list[Origins] = []
        self.nothings: list[Origins] = []
        self.cells: list[Origins] = []
        self.in_commit = False
        self.changes, self.in_parts, self.wanted = changes, in_parts, wanted
        self.watched = watched
        self.events: list[Event] | None = None if watched is None else []
        self.frames: list[Frame] = []
        self.deletions: dict[tuple[str, Any], Origins] = {}
        self.deleted: dict[Any, Origins] = {}
        self.cause_record: Origin | None = None
        self._changes = 0
        self.batch = 0
        self.taken = 0
        self.history: list[Origin] | None = []
        self._longest_history = history
        self.has_seen_watched = False
        self._on_record = on_record

    # --- records ------------------------------------------------------------------------------------------------------

    def origin(self, position: Position, order: int) -> Origin | None:
        """Return the origin of an input record; None if another one is watched."""
        self.taken += 1
        self._on_record()
        if self.watched is not None and self.watched != position:
            return None
        self.has_seen_watched = True
        found = Origin(position, self.taken, order, self.batch)
        if self.history is not None:
            self.history.append(found)
            if len(self.history) > self._longest_history:
                self.history = None
        return found

    def begin(self, trigger: Origins, record: Origin | None = None, *, commit: bool = False) -> None:
        """Begin with the next record, or with a commit or the wall clock, which no record causes."""
        self.trigger, self.cause_record, self.in_commit = trigger, record, commit
        self.influences, self.nothings = [], []
        self.cells = []

    @contextmanager
    def punctuation(self) -> Iterator[Origins]:
        """Make the current record the trigger of what is emitted and stored in the block, but no part of it."""
        record = self.trigger
        self.trigger = None if record is None else Triggered(None, record)
        try:
            yield self.trigger
        finally:
            self.trigger = record

    @property
    def is_watching(self) -> bool:
        """Whether the current record has the watched one among its origins."""
        return self.events is not None and self.trigger is not None

    def note(self, kind: str, node: str, detail: Any, **fields: Any) -> None:
        """Note what happened to the watched record."""
        if self.events is not None and len(self.events) < _MOST_EVENTS:
            self.events.append(Event(kind, node, detail, fields))

    # --- origins ------------------------------------------------------------------------------------------------------

    def influence(self, origins: Origins) -> None:
        """Note origins that may have influence on what the current record causes."""
        if origins is not None and origins is not self.trigger:
            self.influences.append(origins)

    def cause(self) -> Origins:
        """Return what causes an emission: the current record, and in a commit what has advanced the operator's time."""
        return joined(self.cells) if self.in_commit else self.trigger

    def of_output(self, value: Any) -> Origins:
        """Return the origins of a record that is written to a topic."""
        found = joined((origins_of(value), self.trigger, *(self.nothings if value is None else ())))
        if self.watched is not None:
            return found
        return Wide(found, tuple(self.influences)) if self.influences else found

    def stored(self, store: str, key: Any, before: Any, row: Any) -> Any:
        """Note a row that is put into a store, and return it; the change becomes one of the origins of its new values."""
        is_watching = self.is_watching
        if not (is_watching or self.changes):
            return row
        old = _parts(before)
        is_new = row is None or any(origins is not None and not _is_in(origins, old) for origins in _parts(row))
        if is_watching and is_new and (row is not None or before is not None):
            self.note("stored", store, key, change=Change(store, key, own_copy(plain(before)), own_copy(plain(row)), None, 0))
        if not self.changes:
            return row
        self._changes += 1
        change = Change(store, key, own_copy(plain(before)), own_copy(plain(row)), self.cause_record, self._changes)
        _stamp(row, old, change)
        return row

    def deletion(self, store: str, key: Any) -> None:
        """Remember why an entry was deleted; the oldest deletions are forgotten."""
        found = joined((self.trigger, *self.nothings))
        self.deletions[store, key] = self.deleted[key] = found
        for kept in (self.deletions, self.deleted):
            if len(kept) > _MOST_DELETIONS:
                del kept[next(iter(kept))]

    # --- processors ---------------------------------------------------------------------------------------------------

    @contextmanager
    def frame(self, given: Origins) -> Iterator[Frame]:
        """Open the frame of a call of a processor."""
        frame = Frame(given)
        self.frames.append(frame)
        try:
            yield frame
        finally:
            self.frames.pop()

    # --- functions ----------------------------------------------------------------------------------------------------

    def called(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, Origins]:
        """Call a function with plain arguments; return its result with the origins of the arguments."""
        origins, values = [self.trigger], []
        for argument in arguments:
            if type(argument) is Traced:
                values.append(argument.value)
                origins.append(argument.origins)
            else:
                values.append(argument)
        return function(*values), joined(origins)

    def value(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose result has the origins of its arguments."""

        def call(*arguments: Any) -> Any:
            result, origins = self.called(function, arguments)
            return self.traced(result, origins)

        return call

    def constant(self, function: Callable[[], Any]) -> Callable[[], Any]:
        """Return an initializer whose result has no origins."""

        def call() -> Any:
            result = function()
            return None if result is None else Traced(result, None)

        return call

    def key(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose result is no value, but a key, a topic, a partition or a time."""

        def call(*arguments: Any) -> Any:
            result, origins = self.called(function, arguments)
            self.influence(origins)
            return result

        return call

    def keyed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose result is a pair of a key and a value, or None."""

        def call(*arguments: Any) -> Any:
            found, origins = self.called(function, arguments)
            if found is None:
                return None
            key, value = found
            return key, self.traced(value, origins)

        return call

    def traced(self, value: Any, origins: Origins) -> Any:
        """Return a value with its origins, None for None."""
        if value is None:
            if origins is not None:
                self.nothings.append(origins)
            return None
        return Traced(value, origins)


def _parts(row: Any) -> list[Origins]:
    """Return the origins of the values in a row, one by one."""
    if type(row) is Traced:
        return [row.origins]
    if isinstance(row, tuple | list):
        return [origins for part in row for origins in _parts(part)]
    return []


def _is_in(origins: Origins, others: list[Origins]) -> bool:
    return any(origins is other for other in others)


def _stamp(row: Any, old: list[Origins], change: Change) -> None:
    """Add a change to the origins of the new values in a row; what is emitted afterwards is the same value."""
    if type(row) is Traced:
        if not _is_in(row.origins, old):
            row.origins = Changed(row.origins, change)
    elif isinstance(row, tuple | list):
        for part in row:
            _stamp(part, old, change)


def _has_key(store_key: Any, key: Any) -> bool:
    """Return whether a store key consists of a key and something else, such as the start of a window."""
    return isinstance(store_key, tuple) and any(part == key for part in store_key if part is not None)
