"""Messages of the client become records of the event log, by column."""

from collections.abc import Sequence

import pytest
from confluent_kafka import Message

from eddyline.adapters.kafka.records import log_records
from eddyline.application.ports.event_log import LogRecord


def message(offset: int) -> Message:
    return Message("topic", 3, offset, b"key", b"value", [("name", b"header")], None, (1, 900 + offset))


@pytest.mark.parametrize(
    "offsets",
    [
        pytest.param([5, 6, 7], id="consecutive"),
        pytest.param([5, 6, 9], id="with a gap, such as the marker of a transaction leaves"),
        pytest.param([5], id="one"),
        pytest.param([], id="none"),
    ],
)
def test_records_have_the_offsets_of_their_messages(offsets: Sequence[int]) -> None:
    found = log_records("topic", 3, [message(offset) for offset in offsets])
    headers = (("name", b"header"),)
    assert list(found) == [LogRecord("topic", 3, offset, 900 + offset, b"key", b"value", headers) for offset in offsets]
    assert list(found.offsets[1:]) == offsets[1:]
