"""Turns messages of the client into records of the event log."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from confluent_kafka import Message

from eddyline.application.ports.event_log import LogRecord

_log_record: Callable[[Iterable[Any]], LogRecord] = partial(tuple.__new__, LogRecord)  # twice as fast as the class itself


def log_records(topic: str, partition: int, messages: Iterable[Message]) -> list[LogRecord]:
    """Return the records of messages that all come from one partition and have no error."""
    return [
        _log_record(
            (
                topic,
                partition,
                message.offset(),
                message.timestamp()[1],
                message.key(),
                message.value(),
                () if (headers := message.headers()) is None else tuple(headers),
                None,
                None,
            )
        )
        for message in messages
    ]
