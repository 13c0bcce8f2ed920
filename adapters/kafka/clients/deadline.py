"""A point in time until which an operation may take."""

import math
import time


class Deadline:
    """The moment `timeout_s` seconds from its creation."""

    def __init__(self, timeout_s: float) -> None:
        self._at = time.monotonic() + timeout_s

    def has_passed(self) -> bool:
        """Return whether no time is left."""
        return time.monotonic() >= self._at

    def remaining_s(self, *, at_least: float = 0.0, at_most: float = math.inf) -> float:
        """Return the seconds that are left, within the given bounds."""
        return min(max(self._at - time.monotonic(), at_least), at_most)
