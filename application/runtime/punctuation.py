"""Calls that a task makes at times: by stream time or by the wall clock."""

from collections.abc import Callable
from dataclasses import dataclass

from eddyline.application.operators.context import Cell


@dataclass(slots=True)
class Punctuation:
    """A call every `interval_ms`; `due` holds the time of the next one, which is part of the state."""

    interval_ms: int
    callback: Callable[[int], None]
    due: Cell
    cancelled: bool = False

    def cancel(self) -> None:
        """Make no further calls."""
        self.cancelled = True

    def fire_if_due(self, now: int) -> bool:
        """Call once when the time is due, and schedule the next multiple of the interval: missed times are skipped."""
        if self.cancelled or now < self.due.value:
            return False
        due = self.due.value
        self.due.value = due + ((now - due) // self.interval_ms + 1) * self.interval_ms
        self.callback(now)
        return True
