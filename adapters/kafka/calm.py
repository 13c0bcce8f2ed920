"""Keeps the client's complaints readable: while brokers are away it says the same thing many times a second."""

import logging
import re
import time
from collections.abc import Callable

_NUMBERS = re.compile(r"\d+")


class NotSoonAgain(logging.Filter):
    """Lets a message pass that was not said within `quiet_s`; other numbers in it do not make it another one."""

    def __init__(self, quiet_s: float = 30.0, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._quiet_s = quiet_s
        self._now = now
        self._said: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now = self._now()
        self._said = {text: at for text, at in self._said.items() if now - at < self._quiet_s}
        text = _NUMBERS.sub("#", record.getMessage())
        return self._said.setdefault(text, now) == now
