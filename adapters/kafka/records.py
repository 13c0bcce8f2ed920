"""Turns messages of the client into records of the event log."""

from collections.abc import Sequence
from typing import Any

from confluent_kafka import Message

from eddyline.application.ports.log_columns import LogColumns


def log_records(topic: str, partition: int, messages: Sequence[Message]) -> LogColumns:
    """Return the records of messages that all come from one partition and have no error."""
    offsets: Any = [message.offset() for message in messages]
    headers: Any = [message.headers() for message in messages]
    headers = [tuple(own or ()) for own in headers] if any(headers) else [()] * len(headers)
    return LogColumns(
        topic,
        partition,
        offsets,
        [message.timestamp()[1] for message in messages],
        [message.key() for message in messages],
        [message.value() for message in messages],
        headers,
    )
