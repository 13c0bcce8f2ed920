"""What workers log: warnings cross to the driver as lines of JSON on standard error, which the engine keeps in its log file."""

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from traceback import format_exception
from typing import Final, NamedTuple

from pyspark import TaskContext

_MARK: Final = "eddyline-log:"
_LEVEL: Final = "_EDDYLINE_LOG_LEVEL"
_LONGEST: Final = 3_000
"""The greatest length of a message: a line of up to 4,096 bytes is written at once, so that lines of processes do not mix."""


_BATCH_PROPERTY: Final = "streaming.sql.batchId"
"""The local property in which Spark has the number of the batch that a task belongs to."""
_batch: Final[ContextVar[int | None]] = ContextVar("batch", default=None)


class WorkerWarning(NamedTuple):
    """A warning or an error that a worker has logged.

    Attributes:
        logger: The name of the logger.
        level: The level, a number of the module logging.
        message: The message.
        batch: The number of the batch that the worker was processing, None if it is not known.
        exception: The end of the traceback of an exception that was logged, empty without one.
    """

    logger: str
    level: int
    message: str
    batch: int | None = None
    exception: str = ""


@contextmanager
def processing(batch: int | None) -> Iterator[None]:
    """Let warnings in the `with` block be those of a batch; needed in server processes, which Spark does not know."""
    token = _batch.set(batch)
    try:
        yield
    finally:
        _batch.reset(token)


class WorkerLogHandler(logging.Handler):
    """Writes warnings as lines of JSON to standard error, which is that of Java and so that of the engine."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            logged = record.exc_info[1] if record.exc_info else None
            exception = "" if logged is None else "".join(format_exception(logged))
            os.write(2, _line(WorkerWarning(record.name, record.levelno, record.getMessage(), current_batch(), exception)))
        except Exception:  # noqa: BLE001 - as every handler does
            self.handleError(record)


def let_workers_log(level: str) -> None:
    """Let the workers of the Java that this process starts next log from a level on, such as `info`: they inherit it."""
    os.environ[_LEVEL] = level


def log_warnings() -> None:
    """Write what this process and those that it forks log as lines that `warning_in` reads.

    The least level is that of `let_workers_log` on this machine, else a warning.
    """
    level: int = getattr(logging, os.environ.get(_LEVEL, "warning").upper())
    root = logging.getLogger()
    root.addHandler(WorkerLogHandler(level))
    root.setLevel(level)
    logging.captureWarnings(capture=True)


def warning_in(line: str) -> WorkerWarning | None:
    """Return the warning in a line of the engine's log file, None if it is another line."""
    _, found, text = line.partition(_MARK)
    if not found:
        return None
    try:
        return WorkerWarning(*json.loads(text))
    except (ValueError, TypeError):
        return None


def current_batch() -> int | None:
    """Return the number of the batch that this process works on, None if it is not known."""
    found = _batch.get()
    if found is not None:
        return found
    context = TaskContext.get()
    number = None if context is None else context.getLocalProperty(_BATCH_PROPERTY)
    return None if number is None else int(number)


def _line(warning: WorkerWarning) -> bytes:
    short = warning._replace(message=warning.message[:_LONGEST], exception=warning.exception[-_LONGEST // 2 :])
    line = f"{_MARK}{json.dumps(short, ensure_ascii=False)}\n".encode()
    if len(line) <= _LONGEST:
        return line
    shorter = short._replace(message=short.message[: _LONGEST // 12], exception=short.exception[-_LONGEST // 12 :])
    return f"{_MARK}{json.dumps(shorter)}\n".encode()
