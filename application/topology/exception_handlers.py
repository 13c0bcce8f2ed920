"""Exception handlers: what a run does about a record that cannot be processed, or whose results cannot be written.

They correspond to the processing exception handler (KIP-1033) and the production exception handler (KIP-210) of Kafka Streams.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from eddyline.application.topology.records import Headers

Response: TypeAlias = Literal["fail", "continue", "dead-letter"]
"""`fail` ends the run, `continue` goes on without the record, `dead-letter` also writes it to the dead-letter topic."""

RESPONSES: Final[tuple[Response, ...]] = ("fail", "continue", "dead-letter")

PROCESSING: Final = "processing.exception.handler"
"""The setting for exceptions in functions and processors of the user, and in stores."""
PRODUCTION: Final = "production.exception.handler"
"""The setting for exceptions while results are encoded, in partitioners, and for results that their topics do not accept."""

_MAX_SHOWN = 60
_END_OF_DATES = 253_402_300_800_000


class ErrorContext(NamedTuple):
    """Where an exception was raised; `str(context)` is one line.

    Attributes:
        operator: The name of the operator.
        task_id: The sub-topology and the partition, such as `0_2`; empty for results that the event sink rejects.
        topic: The topic of the record that failed; None in punctuation, and when an update is forwarded that no single
            record caused, such as the result of a window that closed.
        partition: The partition of the record, None if there is no record.
        offset: The offset of the record, None if there is no record.
        timestamp: The event time in ms since the epoch, None if it is unknown.
        key: The key.
        headers: The headers of the record in order, pairs of a name and bytes or None.
    """

    operator: str
    task_id: str
    topic: str | None = None
    partition: int | None = None
    offset: int | None = None
    timestamp: int | None = None
    key: Any = None
    headers: Headers = ()

    def __str__(self) -> str:
        record = "no record" if self.topic is None else f"record {self.topic}-{self.partition}@{self.offset}"
        time = "" if self.timestamp is None else f", event time {_time(self.timestamp)}"
        task = f" of task {self.task_id}" if self.task_id else ""
        return f"operator '{self.operator}'{task}, {record}, key {_shown(self.key)}{time}"


ExceptionHandler: TypeAlias = Response | Callable[[ErrorContext, Exception], Response]
"""A response to all exceptions, or a function that chooses the response to each."""


def response_of(handler: ExceptionHandler, context: ErrorContext, error: Exception) -> Response:
    """Return how a handler responds to an exception.

    Raises:
        ValueError: the function returned something else than a response.
    """
    response = handler(context, error) if callable(handler) else handler
    if response not in RESPONSES:
        choices = ", ".join(map(repr, RESPONSES))
        raise ValueError(f"the exception handler {handler!r} returned {response!r}; return one of: {choices}")
    return response


def _time(timestamp: int) -> str:
    if not 0 <= timestamp < _END_OF_DATES:
        return f"{timestamp} ms"
    seconds, milliseconds = divmod(timestamp, 1_000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{milliseconds:03}Z"


def _shown(key: Any) -> str:
    try:
        text = repr(key)
    except Exception:  # noqa: BLE001 - the repr of the user's class must not hide the exception that is reported
        return f"<{type(key).__name__}>"
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
