"""How long, and how much, a table holds its updates back."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.windows import Duration, milliseconds

WhenFull: TypeAlias = Literal["emit-early", "shut-down"]
"""What happens when more keys are held back than may be: the oldest leave before their time, or the task fails."""


@dataclass(frozen=True, slots=True)
class UntilWindowCloses:
    """Nothing leaves before its window is closed, then the final result does."""

    max_records: int | None


@dataclass(frozen=True, slots=True)
class UntilTimeLimit:
    """The latest update of a key leaves `limit_ms` after the first that was held back."""

    limit_ms: int
    max_records: int | None
    when_full: WhenFull


def until_window_closes(*, max_records: int | None = None) -> UntilWindowCloses:
    """Holds the results of windows back until they are final; deleted ones never leave.

    `max_records` bounds the keys in windows that may be held at once; with more the task fails, since any that left early
    would not be final. None sets no bound.
    """
    return UntilWindowCloses(_bound(max_records))


def until_time_limit(limit: Duration, *, max_records: int | None = None, when_full: WhenFull = "emit-early") -> UntilTimeLimit:
    """Lets no more than one update of a key leave in `limit` of stream time: the latest, at its own time.

    `max_records` bounds the keys that may be held at once, and `when_full` says what happens with more. None sets no bound.
    """
    return UntilTimeLimit(milliseconds(limit, "the time limit of a suppression"), _bound(max_records), when_full)


def _bound(max_records: int | None) -> int | None:
    if max_records is not None and max_records < 0:
        msg = f"a suppression can hold {max_records} records at most; give 0 or more, or None for no bound"
        raise TopologyError(msg)
    return max_records
