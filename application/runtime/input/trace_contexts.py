"""The trace contexts of the records that a task reads: the header `traceparent` of W3C Trace Context."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final

from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.ports.log_columns import LogColumns
from eddyline.application.runtime.input.record_queue import DecodeAll, IncomingRecord

TRACEPARENT: Final = "traceparent"
MOST_CONTEXTS: Final = 128
"""The greatest number of contexts that are collected from a batch, which is the limit of OpenTelemetry for links of a span."""
_SAMPLED: Final = 1


class TraceContexts:
    """Collects the trace contexts of sampled traces, each once and at most 128 in a batch."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def collecting(self, decode_all: DecodeAll) -> DecodeAll:
        """Return a function that decodes records and collects their trace contexts."""

        def decode_and_collect(
            records: Sequence[LogRecord], undecodable: Callable[[LogRecord, Exception], None]
        ) -> Sequence[IncomingRecord]:
            if len(self._found) < MOST_CONTEXTS:
                self._collect(records.headers if isinstance(records, LogColumns) else [record.headers for record in records])
            return decode_all(records, undecodable)

        return decode_and_collect

    def _collect(self, all_headers: Iterable[Headers]) -> None:
        for name, value in chain.from_iterable(filter(None, all_headers)):
            if name == TRACEPARENT and len(self._found) < MOST_CONTEXTS and value is not None and _is_sampled(value):
                self._found[value.decode("ascii")] = None

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
