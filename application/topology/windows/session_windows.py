"""Session windows: periods of activity of a key, separated by gaps."""

from dataclasses import dataclass

from eddyline.application.topology.windows.window import Duration, Windows, milliseconds


@dataclass(frozen=True, slots=True)
class SessionWindows(Windows):
    """Sessions of a key, separated by more than `gap_ms` without a record; a session ends at its last record, inclusive."""

    gap_ms: int
    grace_ms: int

    @property
    def closes_after_ms(self) -> int:
        """Gap plus grace period: no later record can extend the session."""
        return self.gap_ms + self.grace_ms

    @property
    def retention_ms(self) -> int:
        """The default, and shortest possible, retention of a session store, measured from the newest session end."""
        return self.gap_ms + self.grace_ms


def session(gap: Duration, *, grace: Duration) -> SessionWindows:
    """Return session windows: records of a key with at most `gap` between one and the next share a session.

    Args:
        gap: The inactivity gap: milliseconds, or a `timedelta`; with 0, only records of one timestamp share a session.
        grace: How long after its end and the gap a session still accepts late records, measured in stream time.

    Raises:
        TopologyError: If the gap or the grace period is negative.
    """
    return SessionWindows(
        milliseconds(gap, "the inactivity gap of a session window"),
        milliseconds(grace, "the grace period of a session window"),
    )
