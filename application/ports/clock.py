"""The wall clock, so that nothing reads the machine's by itself."""

from abc import ABC, abstractmethod


class Clock(ABC):
    """Tells the wall-clock time."""

    @abstractmethod
    def now_ms(self) -> int:
        """The wall-clock time in milliseconds since the epoch."""
