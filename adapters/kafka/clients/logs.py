"""The loggers of the Kafka adapters, and filters that keep the client's log short and free of secrets."""

import logging
import re
import time
from collections.abc import Callable
from typing import Any

from eddyline.adapters.kafka.clients.escaping import escaped
from eddyline.adapters.kafka.settings import KafkaSettings

LOGGER = logging.getLogger("eddyline.kafka")
"""What an operator must read in full, such as records that were skipped."""

CLIENT_LOGGER = logging.getLogger("eddyline.kafka.client")
"""Messages of the client and of retries, which repeat many times a second during an outage."""

_DIGITS = re.compile(r"\d+")
_ORIGIN = re.compile(r"[A-Z_]+ \[[^\]]*\] (\[thrd:.*?\]: )?")
"""What the client puts before a message: its kind, the client and the thread."""


_EXPECTED = re.compile(r"Coordinator load in progress: retrying|Failed to acquire transactional PID .*: retrying")
"""In messages of a client that asks a broker again which has just started, for which nobody has to do anything."""


class RepetitionFilter(logging.Filter):
    """A filter that drops a message that was already logged within `quiet_s` seconds, compared without its numbers."""

    def __init__(self, quiet_s: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._quiet_s = quiet_s
        self._clock = clock
        self._logged_at: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log the message. Threads of several clients may call it at the same time."""
        now = self._clock()
        self._logged_at = {text: at for text, at in tuple(self._logged_at.items()) if now - at < self._quiet_s}
        text = _DIGITS.sub("#", record.getMessage())
        return self._logged_at.setdefault(text, now) == now


class EscapingFilter(logging.Filter):
    """A filter that drops nothing, but escapes control characters: messages contain what brokers have sent."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Escape the message."""
        record.msg, record.args = escaped(record.getMessage()), ()
        return True


class RedactingLogger(logging.LoggerAdapter[logging.Logger]):
    """A logger for one client that removes the secrets of its settings, and the names of its threads, from every message."""

    def __init__(self, settings: KafkaSettings) -> None:
        super().__init__(CLIENT_LOGGER)
        self._settings = settings

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        text = str(msg) % args if args else str(msg)
        if _EXPECTED.search(text):
            level = min(level, logging.INFO)
        super().log(level, "%s", self._settings.redact(_ORIGIN.sub("", text)), **kwargs)


LOGGER.addFilter(EscapingFilter())
CLIENT_LOGGER.addFilter(EscapingFilter())
CLIENT_LOGGER.addFilter(RepetitionFilter())
