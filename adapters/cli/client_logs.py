"""What clients log while a command runs: one line per message in the log of the command, without control characters."""

import logging
from typing import Final

from eddyline.adapters.cli.printable import printable

_LOGGERS: Final = tuple(map(logging.getLogger, ("eddyline", "opentelemetry")))


class _StructuredLog(logging.Handler):
    """Writes records to the log of the command."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            from eddyline.adapters.cli.logs import logger  # noqa: PLC0415 - structlog is imported only if there is a message

            logger().log(max(record.levelno, logging.INFO), printable(record.getMessage()), logger=record.name)
        except Exception:  # noqa: BLE001 - as every handler does
            self.handleError(record)


_HANDLER: Final = _StructuredLog(logging.WARNING)


def show_client_logs() -> None:
    """Write the warnings of Eddyline's adapters and their clients to the log of the command, instead of as they are."""
    for logger in _LOGGERS:
        if _HANDLER not in logger.handlers:
            logger.addHandler(_HANDLER)
