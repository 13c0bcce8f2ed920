"""The wall clock of the operating system."""

import time

from eddyline.application.ports.clock import Clock


class SystemClock(Clock):
    """The system clock; it can go back when it is adjusted."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000
