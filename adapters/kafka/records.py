"""Turns messages of the client into records of the event log."""

from collections.abc import Sequence
from typing import Any

from confluent_kafka import Message

from eddyline.application.ports.log_columns import LogColumns


def log_records(topic: str, partition: int, messages: Sequence[Message]) -> LogColumns:
    """Return the records of messages that all come from one partition and have no error."""
    headers: Any = list(map(Message.headers, messages))
    headers = [tuple(own or ()) for own in headers] if any(headers) else [()] * len(headers)
    return LogColumns(
        topic,
        partition,
        _offsets_of(messages),
        [message.timestamp()[1] for message in messages],
        list(map(Message.key, messages)),
        list(map(Message.value, messages)),
        headers,
    )


def _offsets_of(messages: Sequence[Any]) -> Sequence[int]:
    """Return the offsets of messages, which rise; a range if none is missing between them."""
    if not messages:
        return ()
    first, last = messages[0].offset(), messages[-1].offset()
    if last - first == len(messages) - 1:
        return range(first, last + 1)
    return [message.offset() for message in messages]
