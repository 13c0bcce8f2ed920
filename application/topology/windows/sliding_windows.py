"""Sliding windows: one window for every set of records of a key that are close enough in time."""

from dataclasses import dataclass

from eddyline.application.topology.windows.window import Duration, Window, WindowsByStart, milliseconds


@dataclass(frozen=True, slots=True)
class SlidingWindows(WindowsByStart):
    """One window for each distinct set of records of a key whose timestamps differ by at most `difference_ms`.

    A window ends at a record, or starts one millisecond after a record; both bounds are inclusive. Records with a timestamp
    less than `difference_ms` share the window that starts at the epoch.
    """

    difference_ms: int
    grace_ms: int

    def window_at(self, start: int) -> Window:
        """Return the window from `start` to `start + difference_ms`, both inclusive."""
        return Window(start, start + self.difference_ms)

    @property
    def closes_after_ms(self) -> int:
        """One millisecond more than the grace period, since the end is inclusive."""
        return self.grace_ms + 1

    @property
    def longest_ms(self) -> int:
        """The time difference."""
        return self.difference_ms

    @property
    def retention_ms(self) -> int:
        """Twice the time difference plus the grace period: a record may update windows that are this old."""
        return 2 * self.difference_ms + self.grace_ms


def sliding(time_difference: Duration, *, grace: Duration) -> SlidingWindows:
    """Return windows that slide with the records: records of a key at most `time_difference` apart share a window.

    Args:
        time_difference: The greatest difference between two timestamps in a window: milliseconds, or a `timedelta`.
        grace: How long after its end a window still accepts late records, measured in stream time; 0 accepts none.

    Raises:
        TopologyError: If the time difference is less than 1 ms or the grace period is negative.
    """
    return SlidingWindows(
        milliseconds(time_difference, "the time difference of a sliding window", least=1),
        milliseconds(grace, "the grace period of a sliding window"),
    )
