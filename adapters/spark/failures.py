"""Why a run failed: errors cross from the workers to the driver as data.

Spark passes on nothing but the text of an exception, so a worker puts the failure into that text as one line of JSON, and the
driver reads it back.
"""

import json
import re
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Final

from py4j.protocol import Py4JJavaError

from eddyline.application.ports.availability import ServiceUnavailableError

_EXPLANATIONS: Final[Mapping[str, str]] = {
    r"ModuleNotFoundError: No module named '(?P<module>[^']+)'": (
        "executors do not have module '{module}'; bring it to them in a package: eddyline package FILE --flows …, "
        "then run the flow with --package FILE"
    ),
    r'Cannot run program "(?P<program>[^"]+)"(?: \(in directory "[^"]*"\))?: (?P<reason>[^\n]+)': (
        "Spark cannot start Python '{program}': {reason}; install it on this machine and on those of the executors, "
        "or set spark.pyspark.python to one that they have"
    ),
    r"\[PYTHON_VERSION_MISMATCH\] (?P<reason>[^\n]+?)\.?(?:\n|$)": (
        "{reason}; set spark.pyspark.python to a Python of the same version"
    ),
    r"failed (?P<times>\d+) times[^\n]*?ExecutorLostFailure \([^\n]*?\) Reason: (?P<reason>[^\n]+)": (
        "executors ended in the middle of a task, {times} times; the last one: {reason}; if they were killed for lack of memory, "
        "lower max.batch.records or raise spark.executor.memoryOverhead"
    ),
    r"Master removed our application: |Cannot call methods on a stopped SparkContext": (
        "the cluster has ended the application; the reason is in the logs of its master and workers"
    ),
    r"most recent failure: Lost task [^\n]*?executor [^)\n]*\): (?:[\w.$]+(?:Exception|Error): )?(?P<reason>[^\n]+)": (
        "a task failed on an executor: {reason}"
    ),
    r"Job aborted due to stage failure: (?P<reason>[^\n]+)": "Spark has ended a job: {reason}",
    r"(?s:.*)\n\s*Caused by: (?:[\w$]+\.)*(?P<reason>[^\n]+)": "Spark failed: {reason}",
}
"""How to explain what a pattern finds; the first one that does is taken."""


def cause_in(text: str) -> str | None:
    """Return the cause of a failure and how to fix it, None if the text of the exception has none that is known."""
    for pattern, explanation in _EXPLANATIONS.items():
        found = re.search(pattern, text)
        if found is not None:
            return explanation.format(**found.groupdict())
    return None


_MARK: Final = "eddyline-failure:"
_SLOW_START: Final = "Python worker failed to connect back"
"""Spark gives a new worker ten seconds to connect, which a busy machine may exceed."""


@dataclass(frozen=True)
class Failure:
    """An exception in a worker: its class, message, notes and traceback, and whether repeating the batch may help.

    The notes name the operator and the record that failed. The class is empty if Spark failed, and the message says why.
    """

    exception: str
    message: str
    traceback: str
    retryable: bool
    notes: tuple[str, ...] = ()

    @staticmethod
    def of(error: BaseException) -> "Failure":
        """Return an exception as a failure."""
        notes = tuple(getattr(error, "__notes__", ()))
        text = "".join(traceback.format_exception(error))
        cause = cause_in(str(error)) if isinstance(error, Py4JJavaError) else None
        if cause is not None:
            return Failure("", cause, text, retryable=False)
        return Failure(type(error).__name__, str(error), text, isinstance(error, ServiceUnavailableError), notes)

    @staticmethod
    def from_json(data: bytes | str) -> "Failure":
        """Return the failure that `to_json` has written."""
        found = json.loads(data)
        return Failure(**{**found, "notes": tuple(found.get("notes", ()))})

    def to_json(self) -> str:
        """Return the failure as one line of JSON."""
        return json.dumps(asdict(self))


class WorkerError(Exception):
    """Carries a failure through Spark, in its text."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure

    def __str__(self) -> str:
        return f"{self.failure.exception}: {self.failure.message}\n{_MARK}{self.failure.to_json()}"


class EngineError(RuntimeError):
    """A run failed. The message is that of the exception in the worker; the cause is Spark's exception with its full text.

    `retryable` is true if repeating the batch may help, because a service that it needs did not answer.
    """

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


@contextmanager
def reported() -> Iterator[None]:
    """Raise every exception in the block as a WorkerError, so that the driver can read its failure."""
    try:
        yield
    except WorkerError:
        raise
    except Exception as error:
        raise WorkerError(_failure_in(str(error)) or Failure.of(error)) from error


def engine_error(error: Exception) -> EngineError:
    """Return an exception of Spark as an EngineError, with the failure that caused it."""
    text = str(error)
    failure = _failure_in(text)
    if failure is None:
        cause = cause_in(text)
        if cause is not None:
            return EngineError(cause)
        return EngineError(text.strip().partition("\n")[0], retryable=is_slow_start(error))
    message = f"{failure.exception}: {failure.message}" if failure.exception else failure.message
    return EngineError("; ".join((message, *failure.notes)), retryable=failure.retryable)


def is_slow_start(error: Exception) -> bool:
    """Return whether an exception of Spark says that a worker has not started in time, so that it has done nothing."""
    return _SLOW_START in str(error) and _failure_in(str(error)) is None


def _failure_in(text: str) -> Failure | None:
    at = text.rfind(_MARK)
    if at < 0:
        return None
    start = at + len(_MARK)
    _, end = json.JSONDecoder().raw_decode(text, start)
    return Failure.from_json(text[start:end])
