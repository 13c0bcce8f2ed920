"""How long, and how many, updates of a table are suppressed."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.windows.window import Duration, milliseconds

WhenFull: TypeAlias = Literal["emit-early", "shut-down"]
"""What happens when the buffer is full: the oldest updates are emitted early, or the task fails."""


@dataclass(frozen=True, slots=True)
class UntilWindowCloses:
    """Suppresses all updates of a window but its final result, which is emitted when the window closes."""

    max_records: int | None
    max_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class UntilTimeLimit:
    """Suppresses all updates of a key but the latest, which is emitted `limit_ms` after the first suppressed one."""

    limit_ms: int
    max_records: int | None
    when_full: WhenFull
    max_bytes: int | None = None


def until_window_closes(*, max_records: int | None = None, max_bytes: int | None = None) -> UntilWindowCloses:
    """Suppress the updates of a windowed table until its windows close, so that only final results are emitted.

    Deletions are never emitted.

    Args:
        max_records: The maximum number of keys and windows in the buffer, None for no limit. When it is exceeded the task
            fails, since a result that is emitted early would not be final.
        max_bytes: The maximum size of the buffer in bytes, None for no limit; see `until_time_limit`.

    Raises:
        TopologyError: If `max_records` or `max_bytes` is negative.
    """
    return UntilWindowCloses(_checked("max_records", max_records), _checked("max_bytes", max_bytes))


def until_time_limit(
    limit: Duration,
    *,
    max_records: int | None = None,
    max_bytes: int | None = None,
    when_full: WhenFull = "emit-early",
) -> UntilTimeLimit:
    """Suppress updates so that each key emits at most one update, the latest, per `limit` of stream time.

    Args:
        limit: How long updates of a key are suppressed: milliseconds, or a `timedelta`.
        max_records: The maximum number of keys in the buffer, None for no limit.
        max_bytes: The maximum size of the buffer in bytes, None for no limit. The size is an estimate: that of the keys, values
            and headers, and 28 bytes and the name of the topic for each key. Text counts with its UTF-8 bytes, a number with 8
            bytes, a dataclass or collection with what it contains.
        when_full: What happens when a maximum is exceeded: "emit-early" emits the oldest updates, "shut-down" fails the task.

    Raises:
        TopologyError: If the limit, `max_records` or `max_bytes` are negative, or `when_full` is neither of the two.
    """
    limit_ms = milliseconds(limit, "the time limit of suppress")
    if when_full not in get_args(WhenFull):
        msg = f"when_full='{when_full}' of until_time_limit is unknown; pass 'emit-early' or 'shut-down'"
        raise TopologyError(msg)
    return UntilTimeLimit(limit_ms, _checked("max_records", max_records), when_full, _checked("max_bytes", max_bytes))


def _checked(name: str, limit: int | None) -> int | None:
    if limit is not None and limit < 0:
        msg = f"{name} of suppress must be 0 or more, but is {limit}; pass None for no limit"
        raise TopologyError(msg)
    return limit
