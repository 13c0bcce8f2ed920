"""Failures: records that could not be processed, or whose results could not be written, and how the run responds to them."""

from typing import NamedTuple

from eddyline.application.operators.output import Output
from eddyline.application.topology.exception_handlers import ErrorContext, ExceptionHandler, Response


class ExceptionHandlers(NamedTuple):
    """The handlers of a run: of exceptions in processing, and of those while results are encoded and routed."""

    processing: ExceptionHandler = "fail"
    production: ExceptionHandler = "fail"

    @property
    def always_fail(self) -> bool:
        """Whether every exception ends the run."""
        return self.processing == "fail" and self.production == "fail"


class Failure(NamedTuple):
    """A record that failed and that the run goes on without; `response` is `continue` or `dead-letter`."""

    context: ErrorContext
    error: Exception
    response: Response


class OutputError(Exception):
    """Carries an exception that was raised while an output was encoded or routed, which is its cause."""

    def __init__(self, output: Output, error: Exception) -> None:
        super().__init__(str(error))
        self.output, self.error = output, error


def note_failure(error: Exception, context: ErrorContext, setting: str) -> None:
    """Add where it was raised, and the setting to go on without such records, to an exception that ends the run."""
    if not getattr(error, "__notes__", None):
        error.add_note(f"{context}; to go on without such records, set {setting} to 'continue' or 'dead-letter'")
