"""Turns messages of the client into records of the event log."""

from collections.abc import Iterable
from typing import cast

from confluent_kafka import Message

from eddyline.application.ports.event_log import LogRecord


def log_records(topic: str, partition: int, messages: Iterable[Message]) -> list[LogRecord]:
    """Return the records of messages that all come from one partition and have no error."""
    return [
        LogRecord(
            topic,
            partition,
            message.offset(),  # type: ignore[arg-type] # a message that was read has one
            message.timestamp()[1],
            message.key(),
            message.value(),
            () if (headers := message.headers()) is None else tuple(cast("Iterable[tuple[str, bytes | None]]", headers)),
        )
        for message in messages
    ]
