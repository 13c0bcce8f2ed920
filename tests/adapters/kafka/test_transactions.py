"""The start of transactions."""

from unittest.mock import Mock, call

import pytest
from confluent_kafka import KafkaError, KafkaException

from eddyline.adapters.kafka.clients.transactions import initialize_transactions


def test_a_producer_connects_before_it_looks_for_its_coordinator() -> None:
    producer = Mock()
    initialize_transactions(producer, 10.0)
    connect, initialize = producer.mock_calls
    assert connect == call.list_topics("__transaction_state", timeout=2.0)
    assert initialize[0] == "init_transactions"
    assert initialize[1][0] == pytest.approx(10.0, abs=0.5)


def test_that_it_cannot_connect_is_left_to_the_call_that_follows() -> None:
    producer = Mock()
    producer.list_topics.side_effect = KafkaException(KafkaError(KafkaError._TRANSPORT))  # noqa: SLF001 - its public name
    producer.init_transactions.side_effect = KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001 - likewise
    with pytest.raises(KafkaException, match="TIMED_OUT"):
        initialize_transactions(producer, 1.0)
