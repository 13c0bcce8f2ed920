"""A point in time until which an operation may take."""

import math
import time
from collections.abc import Callable
from typing import Final, TypeVar

from eddyline.adapters.kafka.errors import BrokerUnavailableError

T = TypeVar("T")

_RETRY_S: Final = 0.2


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


def until_available(deadline: Deadline, attempt: Callable[[], T]) -> T:
    """Return the result of an attempt, which is repeated while brokers are unavailable. Raises BrokerUnavailableError."""
    while True:
        try:
            return attempt()
        except BrokerUnavailableError:
            if deadline.has_passed():
                raise
            time.sleep(_RETRY_S)  # brokers need a moment to restart, or to choose a leader
