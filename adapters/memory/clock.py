"""A wall clock that stands still until it is moved."""

from eddyline.application.ports.clock import Clock


class MemoryClock(Clock):
    """Shows `now_ms`, milliseconds since the epoch, until `advance` or `move_to` moves it on."""

    def __init__(self, now_ms: int = 0) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def advance(self, milliseconds: int) -> None:
        """Moves the clock on. Raises ValueError for a negative step."""
        self.move_to(self._now_ms + milliseconds)

    def move_to(self, now_ms: int) -> None:
        """Sets the clock to a later time, or the same. Raises ValueError for an earlier one."""
        if now_ms < self._now_ms:
            raise ValueError(f"the clock shows {self._now_ms} ms and cannot go back to {now_ms} ms")
        self._now_ms = now_ms
