"""Windows of a fixed size: tumbling and hopping windows, and one window without end."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Final

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.windows.window import Duration, EnumerableWindows, Window, milliseconds

_MAX_CACHED_PANES: Final = 4096

FOREVER: Final = (1 << 63) - 1
"""The end of an unlimited window: the greatest possible timestamp."""


@dataclass(frozen=True, slots=True)
class TimeWindows(EnumerableWindows):
    """Tumbling or hopping windows of `size_ms`, which start at every multiple of `advance_ms` since the epoch."""

    size_ms: int
    advance_ms: int
    grace_ms: int
    _pane_ms: int = field(init=False, repr=False, compare=False)
    _panes: dict[int, tuple[Window, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compute how long the windows of timestamps are the same."""
        object.__setattr__(self, "_pane_ms", gcd(self.size_ms, self.advance_ms))

    def windows_for(self, timestamp: int) -> Sequence[Window]:
        """Return all windows with `start <= timestamp < start + size_ms` and `start >= 0`, oldest first."""
        pane = timestamp // self._pane_ms
        windows = self._panes.get(pane)
        if windows is None:
            if len(self._panes) >= _MAX_CACHED_PANES:
                self._panes.clear()
            first = max(0, timestamp - self.size_ms + self.advance_ms) // self.advance_ms * self.advance_ms
            windows = tuple(self.window_at(start) for start in range(first, timestamp + 1, self.advance_ms))
            self._panes[pane] = windows
        return windows

    def window_at(self, start: int) -> Window:
        """Return the window from `start` to `start + size_ms`."""
        return Window(start, start + self.size_ms)

    @property
    def longest_ms(self) -> int:
        """The size."""
        return self.size_ms

    @property
    def retention_ms(self) -> int:
        """Size plus grace period."""
        return self.size_ms + self.grace_ms


@dataclass(frozen=True, slots=True)
class UnlimitedWindows(EnumerableWindows):
    """One window that starts at `start_ms` and never closes."""

    start_ms: int
    grace_ms: int = 0

    def windows_for(self, timestamp: int) -> Sequence[Window]:
        """Return the window, or nothing for a timestamp before its start."""
        return (Window(self.start_ms, FOREVER),) if timestamp >= self.start_ms else ()

    def window_at(self, start: int) -> Window:
        """Return the window."""
        return Window(start, FOREVER)

    @property
    def closes_after_ms(self) -> None:
        """None: the window never closes."""
        return None

    @property
    def retention_ms(self) -> int:
        """Without limit."""
        return FOREVER


def tumbling(size: Duration, *, grace: Duration) -> TimeWindows:
    """Return windows of a fixed size that neither overlap nor leave gaps.

    Args:
        size: The length of each window: milliseconds, or a `timedelta`.
        grace: How long after its end a window still accepts late records, measured in stream time; 0 accepts none.

    Raises:
        TopologyError: If the size is less than 1 ms or the grace period is negative.
    """
    size_ms = milliseconds(size, "the size of a tumbling window", least=1)
    return TimeWindows(size_ms, size_ms, milliseconds(grace, "the grace period of a tumbling window"))


def hopping(size: Duration, *, advance: Duration, grace: Duration) -> TimeWindows:
    """Return overlapping windows of a fixed size, a new one every `advance`.

    Args:
        size: The length of each window: milliseconds, or a `timedelta`.
        advance: The time from the start of one window to the start of the next, at most `size`.
        grace: How long after its end a window still accepts late records, measured in stream time; 0 accepts none.

    Raises:
        TopologyError: If the size or the advance is less than 1 ms, the advance is greater than the size, or the grace period is
            negative.
    """
    size_ms = milliseconds(size, "the size of a hopping window", least=1)
    advance_ms = milliseconds(advance, "the advance of a hopping window", least=1)
    if advance_ms > size_ms:
        msg = (
            f"the advance of a hopping window is {advance_ms} ms, greater than its size of {size_ms} ms, "
            f"so records between two windows would be lost; pass an advance= of 1 to {size_ms} ms"
        )
        raise TopologyError(msg)
    return TimeWindows(size_ms, advance_ms, milliseconds(grace, "the grace period of a hopping window"))


def unlimited(*, start: int = 0) -> UnlimitedWindows:
    """Return one window for all records from `start` on, in ms since the epoch; earlier records are dropped."""
    return UnlimitedWindows(milliseconds(start, "the start of an unlimited window"))
