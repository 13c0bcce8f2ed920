"""Windows whose bounds the events themselves set: sliding windows and sessions. Their ends are inclusive."""

from dataclasses import dataclass

from eddyline.application.topology.windows import Duration, Window, Windows, WindowsByStart, milliseconds


@dataclass(frozen=True, slots=True)
class SlidingWindows(WindowsByStart):
    """For every set of records of a key that lie at most `difference_ms` apart, one window that holds them.

    A window ends at a record or begins a millisecond after one. Records that are earlier than `difference_ms` after the epoch
    share the window from 0 on.
    """

    difference_ms: int
    grace_ms: int

    def window_at(self, start: int) -> Window:
        """The window from `start` to `start + difference_ms`, both included."""
        return Window(start, start + self.difference_ms)

    @property
    def closes_after_ms(self) -> int:
        """A millisecond more than the grace, since the end is inclusive."""
        return self.grace_ms + 1

    @property
    def retention_ms(self) -> int:
        """Twice the difference and the grace: a record reads windows from as far back as that."""
        return 2 * self.difference_ms + self.grace_ms


@dataclass(frozen=True, slots=True)
class SessionWindows(Windows):
    """Runs of records of a key with at most `gap_ms` from one to the next; a session ends at its last record."""

    gap_ms: int
    grace_ms: int

    @property
    def closes_after_ms(self) -> int:
        """Gap and grace: from then on no record can lie near enough to a session to lengthen it."""
        return self.gap_ms + self.grace_ms

    @property
    def retention_ms(self) -> int:
        """How long a store must keep a session, measured from the newest end: gap and grace."""
        return self.gap_ms + self.grace_ms


def sliding(time_difference: Duration, *, grace: Duration) -> SlidingWindows:
    """Windows that slide with the records: records of a key at most `time_difference` apart are seen together.

    `grace` is how long after its end a window still takes late records, measured by stream time; 0 refuses them all.
    """
    return SlidingWindows(
        milliseconds(time_difference, "the time difference of a sliding window", least=1),
        milliseconds(grace, "the grace of a sliding window"),
    )


def session(gap: Duration, *, grace: Duration) -> SessionWindows:
    """Sessions: records of a key with no more than `gap` between one and the next.

    `grace` is how long after its end and the gap a session still takes late records, measured by stream time.
    """
    return SessionWindows(milliseconds(gap, "the gap of a session", least=1), milliseconds(grace, "the grace of a session"))
