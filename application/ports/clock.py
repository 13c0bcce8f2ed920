"""The wall clock, so that code can be tested with a clock that the test moves."""

from abc import ABC, abstractmethod


class Clock(ABC):
    """A source of wall-clock time."""

    @abstractmethod
    def now_ms(self) -> int:
        """Return the wall-clock time in milliseconds since the epoch (UTC)."""
