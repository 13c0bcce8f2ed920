"""What a dead letter carries beside the record: the place and the reason, under the names that Kafka Streams gives them."""

import traceback

from application.operators.output import Dropped
from application.ports.event_log import Headers

_PREFIX = "__streams.errors."


class LeftOutError(Exception):
    """A step left the record out; the message names the step and the reason."""


def left_out(dropped: Dropped) -> LeftOutError:
    """Why a record was left out, as an error."""
    return LeftOutError(f"step '{dropped.step}' left the record out: {dropped.reason}")


def reason_headers(error: Exception, topic: str, partition: int, offset: int) -> Headers:
    """The headers of a dead letter: what went wrong, and where the record lies."""
    reason = (
        ("exception", type(error).__name__),
        ("message", str(error)),
        ("stacktrace", "".join(traceback.format_exception(error))),
        ("topic", topic),
        ("partition", str(partition)),
        ("offset", str(offset)),
    )
    return tuple((_PREFIX + name, text.encode()) for name, text in reason)
