"""Punctuation: calls that a task makes at regular intervals of stream time or of wall-clock time."""

from collections.abc import Callable
from dataclasses import dataclass

from eddyline.application.operators.context import Cell


@dataclass(slots=True)
class Punctuation:
    """A call every `interval_ms` for a node; `due` has the time of the next one and is part of the state."""

    node: str
    interval_ms: int
    callback: Callable[[int], None]
    due: Cell
    cancelled: bool = False

    def cancel(self) -> None:
        """Cancel all further calls."""
        self.cancelled = True

    def realign(self, now: int) -> None:
        """Move the next call closer by multiples of the interval, if it is more than one away since the clock was set back."""
        excess = self.due.value - now - self.interval_ms
        if excess > 0:
            self.due.value -= -(-excess // self.interval_ms) * self.interval_ms

    def take_due(self, now: int) -> bool:
        """Return whether a call is due, and schedule the next one a multiple of the interval later; missed calls are skipped."""
        due = self.due.value
        if self.cancelled or now < due:
            return False
        self.due.value = due + ((now - due) // self.interval_ms + 1) * self.interval_ms
        return True
