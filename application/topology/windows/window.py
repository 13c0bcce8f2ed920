"""A window, a key in a window, and what every kind of windows defines.

All times are milliseconds since the epoch; durations are milliseconds as `int`, or a `timedelta`.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from eddyline.application.topology.errors import TopologyError

K = TypeVar("K")

Duration: TypeAlias = int | timedelta | str
"""A length of time: milliseconds, a `timedelta`, or text such as `10m` and `1h30m` (units ms, s, m or min, h, d)."""

_MILLISECOND = timedelta(milliseconds=1)
_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_PART = r"(\d+) ?(ms|s|min|m|h|d)"
_TEXT = re.compile(rf"{_PART}(?: ?{_PART})*")


class Window(NamedTuple):
    """A span of event time, in milliseconds since the epoch.

    Attributes:
        start: The start of the window, inclusive.
        end: The end of the window: exclusive for time windows and calendar days, inclusive for session and sliding windows.
    """

    start: int
    end: int


class Windowed(NamedTuple, Generic[K]):
    """A key in a window: the key of a windowed table.

    Attributes:
        key: The key.
        window: The window.
    """

    key: K
    window: Window


windowed_of: Callable[[Iterable[Any]], Windowed[Any]] = partial(tuple.__new__, Windowed)
"""Creates a `Windowed` from the pair of key and window, in half the time that calling the class takes."""


def milliseconds(duration: Duration, what: str, *, least: int | None = 0) -> int:
    """Return the duration in whole milliseconds.

    Args:
        duration: Milliseconds, a `timedelta`, or text such as `10m`.
        what: What the duration is, for the error message, such as "the grace period of a tumbling window".
        least: The smallest valid duration in milliseconds; None accepts every duration.

    Raises:
        TopologyError: If the duration is less than `least`, or is no duration.
    """
    value = _whole_milliseconds(duration)
    if value is None:
        msg = (
            f"{what} must be a whole number of ms, a timedelta of whole ms, or text such as '500ms', '10m' or '1h30m' "
            f"(units ms, s, m, h, d), but is {duration!r}"
        )
        raise TopologyError(msg)
    if least is not None and value < least:
        msg = f"{what} must be {least} ms or more, but is {value} ms"
        raise TopologyError(msg)
    return value


def _whole_milliseconds(duration: object) -> int | None:
    """Return a duration in milliseconds, None if it is no duration or not a whole number of them."""
    if isinstance(duration, str):
        text = duration.strip()
        return sum(int(number) * _UNITS[unit] for number, unit in re.findall(_PART, text)) if _TEXT.fullmatch(text) else None
    if isinstance(duration, timedelta):
        return None if duration % _MILLISECOND else duration // _MILLISECOND
    return duration if isinstance(duration, int) and not isinstance(duration, bool) else None


class Windows(ABC):
    """What every kind of windows defines: its grace period, and when a window is closed."""

    grace_ms: int

    @property
    def closes_after_ms(self) -> int | None:
        """How far stream time must be past the end of a window for the window to be closed, None if it never closes."""
        return self.grace_ms

    @property
    def longest_ms(self) -> int:
        """The greatest time from the timestamp of a window's last record to the end of the window."""
        return 0


class WindowsByStart(Windows):
    """Windows that a store identifies by their start."""

    @abstractmethod
    def window_at(self, start: int) -> Window:
        """Return the window that starts at `start`."""

    @property
    @abstractmethod
    def retention_ms(self) -> int:
        """The default, and shortest possible, retention of a window store, measured from the newest window start."""


class EnumerableWindows(WindowsByStart):
    """Windows that follow from a timestamp alone, such as tumbling and hopping windows."""

    @abstractmethod
    def windows_for(self, timestamp: int) -> Sequence[Window]:
        """Return the windows that a record with this timestamp belongs to, oldest first."""
