"""Notices that a process falls behind its input."""

from typing import Final

GROWING_S: Final = 60.0


class LagWatch:
    """Watches whether lag grows, from one look to the next, for a minute."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._last = 0

    def is_behind(self, now_s: float, lag: int) -> bool:
        """Return whether lag has grown at every look for a minute; the next minute begins then.

        Args:
            now_s: The time in seconds.
            lag: The number of records that wait in the log.
        """
        grows, self._last = lag > self._last, lag
        if not grows:
            self._since = None
            return False
        if self._since is None:
            self._since = now_s
        if now_s - self._since < GROWING_S:
            return False
        self._since = now_s
        return True
