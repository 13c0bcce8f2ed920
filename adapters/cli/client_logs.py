"""What functions of the user, clients and libraries log while a command runs: lines of the log of the command.

Python's own warnings are among them, and exceptions that end a thread.
"""

import logging
import threading
from traceback import format_exception
from typing import Final

from eddyline.adapters.cli.log_context import at_end_of_log, is_logged
from eddyline.adapters.cli.printable import printable

_LIBRARIES: Final = (
    "asyncio",
    "engineio",
    "httpcore",
    "httpx",
    "nicegui",
    "opentelemetry",
    "py4j",
    "pyspark",
    "socketio",
    "urllib3",
    "uvicorn",
)
"""Libraries of Eddyline, which log below the level of a warning what they do, in great number."""


def standard_level(number: int) -> int:
    """Return the level of Python's own that a level belongs to, as libraries have others between them."""
    return min(max(number // 10 * 10, logging.DEBUG), logging.CRITICAL)


def is_shown(name: str, level: int) -> bool:
    """Return whether a record of a logger is for users: those of Eddyline and its libraries below a warning are not."""
    return level >= logging.WARNING or name.partition(".")[0] not in {"eddyline", *_LIBRARIES}


class _StructuredLog(logging.Handler):
    """Writes records to the log of the command."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            from eddyline.adapters.cli.logs import logger  # noqa: PLC0415 - structlog is imported only if there is a message

            if not is_shown(record.name, record.levelno):
                return
            fields = {"logger": record.name}
            if record.exc_info and record.exc_info[1] is not None:
                fields["exception"] = "".join(format_exception(record.exc_info[1]))
            logger().log(standard_level(record.levelno), printable(record.getMessage()), **fields)
        except Exception:  # noqa: BLE001 - as every handler does
            self.handleError(record)


_HANDLER: Final = _StructuredLog()


def show_client_logs() -> None:
    """Write warnings of all loggers to the log of the command, instead of as they are, unless `show_levels` says otherwise."""
    root = logging.getLogger()
    if _HANDLER not in root.handlers:
        root.addHandler(_HANDLER)
        at_end_of_log(_end)
    if not is_logged():
        show_levels("warning")


def show_levels(level: str) -> None:
    """Write what is logged from a level on to the log of the command, of libraries only warnings; Python's warnings as well.

    Args:
        level: The level, such as `info`.
    """
    number: int = getattr(logging, level.upper())
    _HANDLER.setLevel(number)
    logging.getLogger().setLevel(number)
    for library in _LIBRARIES:
        logging.getLogger(library).setLevel(max(number, logging.WARNING))
    logging.captureWarnings(capture=True)
    threading.excepthook = _log_thread


def _end() -> None:
    """Let programs log as before that have called a command."""
    root = logging.getLogger()
    root.removeHandler(_HANDLER)
    root.setLevel(logging.WARNING)
    logging.captureWarnings(capture=False)
    threading.excepthook = threading.__excepthook__


def _log_thread(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_type is SystemExit or ended.exc_value is None:
        return
    name = "a thread" if ended.thread is None else f"thread '{ended.thread.name}'"
    exc_info = (ended.exc_type, ended.exc_value, ended.exc_traceback)
    logging.getLogger("threading").error("%s has failed: %s", name, ended.exc_value, exc_info=exc_info)
