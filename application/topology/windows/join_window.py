"""The window of a stream-stream join: how close in time two records must be to be joined."""

from dataclasses import dataclass

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.windows.window import Duration, milliseconds


@dataclass(frozen=True, slots=True)
class JoinWindows:
    """The timestamps of right records that join a left record with timestamp t: [t - before_ms, t + after_ms], both inclusive.

    Args:
        before_ms: How much earlier the right record may be.
        after_ms: How much later the right record may be.
        grace_ms: How long after the end of its window a record without a match is kept, measured in stream time.
        emit_interval_ms: The minimum wall-clock time between two emissions of records that stayed without a match.
    """

    before_ms: int
    after_ms: int
    grace_ms: int
    emit_interval_ms: int = 0

    @property
    def retention_ms(self) -> int:
        """How long the records of each side are kept, measured from the newest of that side; always at least 1 ms."""
        return max(1, self.before_ms + self.after_ms + self.grace_ms)


def join_windows(*, before: Duration, after: Duration, grace: Duration, emit_interval: Duration = 0) -> JoinWindows:
    """Return the window of a join of two streams: from `before` a record's timestamp to `after` it, both inclusive.

    Args:
        before: How much earlier the other record may be. May be negative: `before=-1_000, after=5_000` joins records that are
            1 to 5 seconds later.
        after: How much later the other record may be; may be negative as well.
        grace: How long after the end of its window a record of a left or outer join waits for a late match, in stream time.
        emit_interval: The minimum wall-clock time between two emissions of records without a match; 0 emits them at once.

    Raises:
        TopologyError: If `before + after`, the grace period or the emit interval are negative.
    """
    windows = JoinWindows(
        milliseconds(before, "before= of a join window", least=None),
        milliseconds(after, "after= of a join window", least=None),
        milliseconds(grace, "the grace period of a join window"),
        milliseconds(emit_interval, "the emit interval of a join window"),
    )
    if windows.before_ms + windows.after_ms < 0:
        msg = (
            f"a join window with before={windows.before_ms} ms and after={windows.after_ms} ms ends before it starts; "
            "pass values whose sum is 0 or more"
        )
        raise TopologyError(msg)
    return windows
