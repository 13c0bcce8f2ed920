"""The trace contexts of the records that a task reads: the header `traceparent` of W3C Trace Context."""

from typing import Any, Final

from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.runtime.decoding import Decode

TRACEPARENT: Final = "traceparent"
MOST_CONTEXTS: Final = 128
"""The greatest number of contexts that are collected from a batch, which is the limit of OpenTelemetry for links of a span."""
_SAMPLED: Final = 1


class TraceContexts:
    """Collects the trace contexts of sampled traces, each once and at most 128 in a batch."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def collecting(self, decode: Decode) -> Decode:
        """Return a function that decodes records and collects their trace contexts."""
        found = self._found

        def decode_and_collect(record: LogRecord) -> tuple[Any, Any, Headers]:
            for name, value in record.headers:
                if name == TRACEPARENT and len(found) < MOST_CONTEXTS and value is not None and _is_sampled(value):
                    found[value.decode("ascii")] = None
            return decode(record)

        return decode_and_collect

    def take(self) -> tuple[str, ...]:
        """Return the contexts since the last call."""
        taken = tuple(self._found)
        self._found.clear()
        return taken


def _is_sampled(traceparent: bytes) -> bool:
    """Return whether the trace is recorded; the flags are the last of the four fields."""
    fields = traceparent.split(b"-")
    try:
        return traceparent.isascii() and int(fields[3], 16) & _SAMPLED == _SAMPLED
    except (IndexError, ValueError):
        return False
