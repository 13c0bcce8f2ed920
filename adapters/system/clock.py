"""The machine's wall clock."""

import time

from eddyline.application.ports.clock import Clock


class SystemClock(Clock):
    """The clock of the machine."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000
