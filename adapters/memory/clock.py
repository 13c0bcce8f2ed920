"""A wall clock that stands still until the test moves it."""

from eddyline.application.ports.clock import Clock


class MemoryClock(Clock):
    """A clock that shows `now_ms`, in milliseconds since the epoch, until `advance` or `move_to` changes it."""

    def __init__(self, now_ms: int = 0) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def advance(self, milliseconds: int) -> None:
        """Move the clock forward. Raises ValueError for a negative number."""
        self.move_to(self._now_ms + milliseconds)

    def move_to(self, now_ms: int) -> None:
        """Set the clock to this time. Raises ValueError if the clock is already past it."""
        if now_ms < self._now_ms:
            raise ValueError(f"the clock shows {self._now_ms} ms and cannot go back to {now_ms} ms")
        self._now_ms = now_ms
