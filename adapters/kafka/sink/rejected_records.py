"""The records of a batch that the client or the brokers reject, each for a reason of its own."""

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from eddyline.adapters.kafka.clients.error_codes import fix_for
from eddyline.adapters.kafka.errors import DeliveryError
from eddyline.application.ports.event_sink import Content

OF_A_RECORD: Final = frozenset({"MSG_SIZE_TOO_LARGE", "INVALID_RECORD", "INVALID_TIMESTAMP"})
"""Errors that are caused by a record: its size, a null key in a compacted topic, its timestamp."""

_TOO_LARGE: Final = "MSG_SIZE_TOO_LARGE"
_SHOWN_KEY: Final = 60


class Refusal(NamedTuple):
    """Why a record was rejected; `code` is that of Kafka, empty if `reason` says it all."""

    label: str
    reason: str
    code: str = ""
    local: bool = False


class RejectedRecords:
    """Rejected records by content.

    Args:
        limit_of: returns the greatest size of a record in a topic, None if it is unknown.
        batch_bytes: the greatest size of a request with several records; a larger record is sent alone.
    """

    def __init__(self, limit_of: Callable[[str], int | None], batch_bytes: int) -> None:
        self._limit_of, self._batch_bytes = limit_of, batch_bytes
        self._refusals: dict[Content, Refusal] = {}
        self._limits: dict[str, int | None] = {}

    def __bool__(self) -> bool:
        return bool(self._refusals)

    def add(self, content: Content, refusal: Refusal) -> None:
        """Add a record."""
        self._refusals[content] = refusal

    def clear(self) -> None:
        """Forget all records."""
        self._refusals.clear()

    @property
    def certain(self) -> bool:
        """Whether no record is here only because it was sent in one request with another one."""
        return len(self._refusals) > 0 and all(
            refusal.local or _size(content) > self._batch_bytes for content, refusal in self._refusals.items()
        )

    def reasons(self) -> Mapping[Content, DeliveryError]:
        """Return the reason for each record: topic, key, size and limit, and the setting to change."""
        return {content: DeliveryError(self._reason(content, refusal)) for content, refusal in self._refusals.items()}

    def _reason(self, content: Content, refusal: Refusal) -> str:
        topic, key, _ = content
        shown = repr(key)
        shown = shown if len(shown) <= _SHOWN_KEY else f"{shown[:_SHOWN_KEY]}…"
        text = f"{refusal.label}, key {shown}, {_size(content):,} bytes: {refusal.reason}"
        if not refusal.code:
            return text
        text = f"{text} ({refusal.code}){fix_for(refusal.code)}"
        if refusal.code == _TOO_LARGE and not refusal.local:
            limit = self._limit(topic)
            return text if limit is None else f"{text}; the topic has max.message.bytes={limit}"
        return text

    def _limit(self, topic: str) -> int | None:
        if topic not in self._limits:
            self._limits[topic] = self._limit_of(topic)
        return self._limits[topic]


def _size(content: Content) -> int:
    return len(content[1] or b"") + len(content[2] or b"")
