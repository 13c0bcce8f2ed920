"""Slots that are opened before their first batch, against a real broker."""

from typing import Any
from unittest.mock import DEFAULT, patch

import pytest

from eddyline.adapters.kafka import event_sink
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.transactional_writer import TransactionalWriter
from eddyline.application.ports.event_sink import SinkRecord
from tests.adapters.kafka.conftest import Values

pytestmark = pytest.mark.services


@pytest.mark.parametrize("taken_over", [False, True])
def test_the_producer_of_an_opened_slot_writes_its_first_batch_unless_another_one_took_over(
    settings: KafkaSettings, values: Values, name: str, *, taken_over: bool
) -> None:
    sink = KafkaEventSink(settings, timeout_s=120)
    sink.create_topic(name, 1)
    sink.open_slot(name, 0)
    with patch.object(event_sink, "TransactionalWriter", wraps=TransactionalWriter) as created:
        if taken_over:
            other = KafkaEventSink(settings.with_values({"client.id": "other-worker"}))
            assert other.write(name, 0, 0, [SinkRecord(name, None, b"0", 1)])
            other.close()
        assert sink.write(name, 0, 1, [SinkRecord(name, None, b"1", 1)])
    assert created.call_count == (2 if taken_over else 0)
    assert values(name) == ([b"0", b"1"] if taken_over else [b"1"])
    sink.close()


def test_slots_that_were_opened_at_once_go_on_after_a_batch_without_results(
    settings: KafkaSettings, values: Values, name: str
) -> None:
    sink = KafkaEventSink(settings, timeout_s=120)
    sink.create_topic(name, 1)
    assert sink.write(name, 2, 0, [SinkRecord(name, None, b"0", 1)])

    def open_another(*_arguments: object, **_options: object) -> Any:
        created.side_effect = None
        sink.open_slot(name, 0)
        return DEFAULT

    with patch.object(event_sink, "TransactionalWriter", wraps=TransactionalWriter, side_effect=open_another) as created:
        sink.open_slot(name, 1)
    for batch in (1, 3):
        assert sink.write(name, 0, batch, [SinkRecord(name, None, b"%d" % batch, 1)])
    assert values(name) == [b"0", b"1", b"3"]
    sink.close()


def test_without_transactions_there_is_nothing_to_open(settings: KafkaSettings, values: Values, name: str) -> None:
    sink = KafkaEventSink(settings, guarantee="at-least-once")
    sink.create_topic(name, 1)
    with patch.object(event_sink, "TransactionalWriter", wraps=TransactionalWriter) as created:
        sink.open_slot(name, 0)
        assert sink.write(name, 0, 0, [SinkRecord(name, None, b"0", 1)])
    assert created.call_count == 0
    assert values(name) == [b"0"]
    sink.close()
