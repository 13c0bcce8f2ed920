"""Windows over event time: which of them a record belongs to, and how long they stay open.

All times are milliseconds since the epoch; durations are milliseconds as `int`, or a `timedelta`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from math import gcd
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from eddyline.application.topology.errors import TopologyError

K = TypeVar("K")

Duration: TypeAlias = int | timedelta


class Window(NamedTuple):
    """A span of event time from `start` on; `end` is exclusive for time windows, inclusive for sessions and sliding windows."""

    start: int
    end: int


class Windowed(NamedTuple, Generic[K]):
    """A key in a window: the key of a windowed table."""

    key: K
    window: Window


windowed_of: Callable[[Iterable[Any]], Windowed[Any]] = partial(tuple.__new__, Windowed)
"""Makes a Windowed key of key and window in half the time that the class itself takes."""


def milliseconds(duration: Duration, what: str, *, least: int | None = 0) -> int:
    """The duration in whole milliseconds. Raises TopologyError when it is less than `least`, if any; `what` names it."""
    value = duration // timedelta(milliseconds=1) if isinstance(duration, timedelta) else duration
    if least is not None and value < least:
        bound = "must not be negative" if least == 0 else f"must be at least {least} ms"
        msg = f"{what} {bound}, but is {value} ms"
        raise TopologyError(msg)
    return value


class Windows(ABC):
    """What all windows have: how long they take late records, and when they are closed for good."""

    grace_ms: int

    @property
    def closes_after_ms(self) -> int | None:
        """How far stream time must be past a window's end for the window to be closed; None where it never is."""
        return self.grace_ms


class WindowsByStart(Windows):
    """Windows that a store can address by their start."""

    @abstractmethod
    def window_at(self, start: int) -> Window:
        """The window that begins at `start`."""

    @property
    @abstractmethod
    def retention_ms(self) -> int:
        """How long a store must keep a window by default, and must keep it at least, measured from the newest start."""


class EnumerableWindows(WindowsByStart):
    """Windows that are known from a timestamp alone, such as tumbling and hopping ones."""

    @abstractmethod
    def windows_for(self, timestamp: int) -> Sequence[Window]:
        """The windows that a record with this timestamp belongs to, oldest first."""


_REMEMBERED_PANES = 4096


@dataclass(frozen=True, slots=True)
class TimeWindows(EnumerableWindows):
    """Windows of `size_ms` that begin at every multiple of `advance_ms` since the epoch."""

    size_ms: int
    advance_ms: int
    grace_ms: int
    _panes: dict[int, tuple[Window, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def windows_for(self, timestamp: int) -> Sequence[Window]:
        """All windows with `start <= timestamp < start + size_ms` and `start >= 0`."""
        pane = timestamp // gcd(self.size_ms, self.advance_ms)
        windows = self._panes.get(pane)
        if windows is None:
            if len(self._panes) >= _REMEMBERED_PANES:
                self._panes.clear()
            first = max(0, timestamp - self.size_ms + self.advance_ms) // self.advance_ms * self.advance_ms
            windows = tuple(self.window_at(start) for start in range(first, timestamp + 1, self.advance_ms))
            self._panes[pane] = windows
        return windows

    def window_at(self, start: int) -> Window:
        """The window from `start` to `start + size_ms`."""
        return Window(start, start + self.size_ms)

    @property
    def retention_ms(self) -> int:
        """Size and grace."""
        return self.size_ms + self.grace_ms


def tumbling(size: Duration, *, grace: Duration) -> TimeWindows:
    """Windows that follow each other without gap or overlap.

    `grace` is how long after its end a window still takes late records, measured by stream time; 0 refuses them all.
    """
    size_ms = milliseconds(size, "the size of a tumbling window", least=1)
    return TimeWindows(size_ms, size_ms, milliseconds(grace, "the grace of a tumbling window"))


def hopping(size: Duration, *, advance: Duration, grace: Duration) -> TimeWindows:
    """Windows of one size, a new one every `advance`, so that a record belongs to several.

    `grace` is how long after its end a window still takes late records, measured by stream time; 0 refuses them all.
    """
    size_ms = milliseconds(size, "the size of a hopping window", least=1)
    advance_ms = milliseconds(advance, "the advance of a hopping window", least=1)
    if advance_ms > size_ms:
        msg = (
            f"a hopping window of {size_ms} ms that advances by {advance_ms} ms would leave records out; "
            f"choose an advance of 1 to {size_ms} ms"
        )
        raise TopologyError(msg)
    return TimeWindows(size_ms, advance_ms, milliseconds(grace, "the grace of a hopping window"))


FOREVER = (1 << 63) - 1
"""The end of a window that never ends, the greatest time that a record can have."""


@dataclass(frozen=True, slots=True)
class UnlimitedWindows(EnumerableWindows):
    """One window, from `start_ms` on without end; it never closes."""

    start_ms: int
    grace_ms: int = 0

    def windows_for(self, timestamp: int) -> Sequence[Window]:
        """The window, unless the record is from before its start."""
        return (Window(self.start_ms, FOREVER),) if timestamp >= self.start_ms else ()

    def window_at(self, start: int) -> Window:
        """The window."""
        return Window(start, FOREVER)

    @property
    def closes_after_ms(self) -> None:
        """Never."""
        return None

    @property
    def retention_ms(self) -> int:
        """For good."""
        return FOREVER


def unlimited(*, start: int = 0) -> UnlimitedWindows:
    """One window for all records from `start` on, in ms since the epoch; earlier ones are dropped and counted."""
    return UnlimitedWindows(milliseconds(start, "the start of an unlimited window"))
