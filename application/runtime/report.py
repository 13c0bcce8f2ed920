"""What a run tells: how far it is and what it counted."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass
class RunReport:
    """What a run has done so far, since it was started: a batch that was repeated after a crash counts again.

    `records` counts records that tasks took; `drops` those left out, by step and reason; `written` the results, by topic.
    """

    records: int = 0
    dead_letters: int = 0
    drops: Counter[tuple[str, str]] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)
    batches: int = 0

    def add(self, told: Mapping[str, Any]) -> None:
        """Adds what a task or a slot told."""
        self.records += told.get("records", 0)
        self.dead_letters += told.get("dead_letters", 0)
        for step, reason, number in told.get("drops", ()):
            self.drops[step, reason] += number
        self.written.update(told.get("written", {}))


@dataclass(frozen=True)
class Progress:
    """How far a run is after a batch.

    `done` and `total` count records of the log from where the run began; `total` is what the log held when it began, None
    where the run has no end. `seconds` is how long the batch took.
    """

    batch: int
    done: int
    total: int | None
    seconds: float


OnProgress: TypeAlias = Callable[[Progress, RunReport], None]
"""Is told of each batch that has ended, and what the run has done so far."""
