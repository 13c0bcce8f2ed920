"""Interrupts tasks between two records, or between two chunks of records that are processed together."""

from typing import Final

_MOST: Final = 1_024
_GROWTH: Final = 16
_AIM_S: Final = 0.02


class Interruption:
    """Whether tasks are to leave the records that they have not begun with to a later batch; any thread may request it."""

    __slots__ = ("requested",)

    def __init__(self) -> None:
        self.requested = False


NEVER: Final = Interruption()
"""What nobody requests."""


class ChunkSize:
    """The number of records of a partition that are decoded, and may be processed, together.

    A task that can be interrupted begins with one record, since some functions take seconds for each; then it takes as many as
    are processed within about 20 ms, up to 1,024. Others always take `limit`.
    """

    def __init__(self, interruption: Interruption = NEVER, limit: int = _MOST) -> None:
        self._is_fixed = interruption is NEVER
        self.limit = limit if self._is_fixed else 1

    def ended(self, records: int, seconds: float) -> None:
        """Note how many records were processed, and in which time."""
        if self._is_fixed or (self.limit == _MOST and seconds <= _AIM_S):
            return
        growth = _GROWTH if seconds * _GROWTH <= _AIM_S else _AIM_S / seconds
        self.limit = max(1, min(int((records if growth < 1 else max(records, self.limit)) * growth), _MOST))


ONE: Final = ChunkSize(NEVER, 1)
"""One record at a time."""
