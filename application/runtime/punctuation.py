"""Calls that a task makes by the clock: by stream time or by the wall clock."""

from collections.abc import Callable
from dataclasses import dataclass

from eddyline.application.operators.context import Cell


@dataclass(slots=True)
class Punctuation:
    """A call every `interval_ms`; `due` holds the time of the next one and outlives the process."""

    interval_ms: int
    callback: Callable[[int], None]
    due: Cell
    cancelled: bool = False

    def cancel(self) -> None:
        """Makes no further calls."""
        self.cancelled = True

    def fire_if_due(self, now: int) -> bool:
        """Calls once when the time has come and stays on its grid: times that passed unseen are left out."""
        if self.cancelled or now < self.due.value:
            return False
        due = self.due.value
        self.due.value = due + ((now - due) // self.interval_ms + 1) * self.interval_ms
        self.callback(now)
        return True
