"""Where a consumer starts to read a partition."""

from enum import StrEnum
from typing import NamedTuple


class StartFrom(StrEnum):
    """The kinds of starting points."""

    COMMITTED = "committed"
    BEGINNING = "beginning"
    END = "end"
    OFFSET = "offset"
    TIME = "time"


class StartPosition(NamedTuple):
    """A starting point; `number` is the offset, or the time in ms since the epoch.

    COMMITTED is the committed offset of the group, or the beginning if there is none.
    """

    start_from: StartFrom = StartFrom.COMMITTED
    number: int = 0
