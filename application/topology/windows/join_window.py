"""The window of a stream-stream join: how close in time two records must be to be joined."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.windows.time_windows import FOREVER
from eddyline.application.topology.windows.window import Duration, milliseconds

_UNLIMITED_MS: Final = FOREVER // 2
"""Longer than any two timestamps are apart; added to a timestamp it still is one."""


@dataclass(frozen=True, slots=True)
class JoinWindows:
    """The timestamps of right records that join a left record with timestamp t: [t - before_ms, t + after_ms], both inclusive.

    Args:
        before_ms: How much earlier the right record may be.
        after_ms: How much later the right record may be.
        grace_ms: How long after the end of its window a record without a match is kept, measured in stream time.
        emit_interval_ms: The minimum wall-clock time between two emissions of records that stayed without a match.
        until: Returns the end of the window of a left record for its value, in ms since the epoch; it replaces `after_ms`.
    """

    before_ms: int
    after_ms: int
    grace_ms: int
    emit_interval_ms: int = 0
    until: Callable[[Any], int] | None = None

    @property
    def retention_ms(self) -> int:
        """How long the records of each side are kept, measured from the newest of that side; always at least 1 ms."""
        return min(FOREVER, max(1, self.before_ms + self.after_ms + self.grace_ms))

    @property
    def size_ms(self) -> int:
        """The window size of the stores of both sides."""
        return min(FOREVER, max(1, self.before_ms + self.after_ms))

    @property
    def unlimited(self) -> bool:
        """Whether records are joined however far apart they are."""
        return self.after_ms == _UNLIMITED_MS


def join_windows(
    *,
    before: Duration,
    after: Duration | None = None,
    until: Callable[[Any], int] | None = None,
    grace: Duration,
    emit_interval: Duration = 0,
) -> JoinWindows:
    """Return the window of a join of two streams: from `before` a record's timestamp to `after` it, both inclusive.

    With `until` instead of `after`, each record of the left stream has a window of its own, such as an auction that takes bids
    until it expires. Both streams are then kept only as long as a record that is in time may need them.

    Args:
        before: How much earlier the other record may be. May be negative: `before=-1_000, after=5_000` joins records that are
            1 to 5 seconds later.
        after: How much later the other record may be; may be negative as well.
        until: Returns the last timestamp of the other record for the value of a left record, in ms since the epoch. Only for
            inner joins.
        grace: How long after the end of its window a record of a left or outer join waits for a late match, in stream time;
            with `until`, how much later than stream time a record may be without missing a match.
        emit_interval: The minimum wall-clock time between two emissions of records without a match; 0 emits them at once.

    Raises:
        TopologyError: If `before + after`, the grace period or the emit interval are negative, or not exactly one of `after`
            and `until` is given.
    """
    if (after is None) is (until is None):
        given = "neither after= nor until=" if after is None else "both after= and until="
        msg = f"a join window has {given}; pass after=, how much later the other record may be, or until=, a function of values"
        raise TopologyError(msg)
    windows = JoinWindows(
        milliseconds(before, "before= of a join window", least=None),
        0 if after is None else milliseconds(after, "after= of a join window", least=None),
        milliseconds(grace, "the grace period of a join window"),
        milliseconds(emit_interval, "the emit interval of a join window"),
        until,
    )
    if until is None and windows.before_ms + windows.after_ms < 0:
        msg = (
            f"a join window with before={windows.before_ms} ms and after={windows.after_ms} ms ends before it starts; "
            "pass values whose sum is 0 or more"
        )
        raise TopologyError(msg)
    return windows


def unlimited_join_windows() -> JoinWindows:
    """Return the window of an inner join of two streams that joins records however far apart in time they are.

    Every record of both streams is kept forever, so the state grows without end, as that of a regular join in Flink SQL.
    """
    return JoinWindows(_UNLIMITED_MS, _UNLIMITED_MS, 0)
