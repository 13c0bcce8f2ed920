"""How near in time the records of two streams must be to be joined."""

from dataclasses import dataclass

from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.windows import Duration, milliseconds


@dataclass(frozen=True, slots=True)
class JoinWindows:
    """A right record joins a left one of time t when its own time is in [t - before_ms, t + after_ms], both ends included.

    `grace_ms` is how much longer a record without a partner is waited for, measured by stream time; `emit_interval_ms` how
    long, by the wall clock, at least lies between two looks at those that waited long enough.
    """

    before_ms: int
    after_ms: int
    grace_ms: int
    emit_interval_ms: int = 0

    @property
    def retention_ms(self) -> int:
        """How long each side's records are kept, measured from the newest of that side; those of its very moment always are."""
        return max(1, self.before_ms + self.after_ms + self.grace_ms)


def join_windows(*, before: Duration, after: Duration, grace: Duration, emit_interval: Duration = 0) -> JoinWindows:
    """The windows in which a stream joins another: from `before` a record's time to `after` it.

    One of the two may be negative: `before=-1_000, after=5_000` joins what comes 1 to 5 seconds later. `grace` is how long
    after the end of its window a record that must not be lost still waits for a partner. `emit_interval` keeps the looks at
    such records apart by the wall clock.
    """
    windows = JoinWindows(
        milliseconds(before, "the time before, of a join's window", least=None),
        milliseconds(after, "the time after, of a join's window", least=None),
        milliseconds(grace, "the grace of a join's window"),
        milliseconds(emit_interval, "the emit interval of a join's window"),
    )
    if windows.before_ms + windows.after_ms < 0:
        msg = (
            f"a join's window from {windows.before_ms} ms before to {windows.after_ms} ms after ends before it begins; "
            "choose them so that before + after is 0 or more"
        )
        raise TopologyError(msg)
    return windows
