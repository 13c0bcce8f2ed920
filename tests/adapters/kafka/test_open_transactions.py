"""Transactions that are open: their records in partitions, and their offsets of a group."""

import time
from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.errors import BrokerError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.streams import commit_producer
from eddyline.adapters.kafka.streams.open_transactions import OpenTransactions
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import TopicPartition


class Transaction:
    """A producer with an open transaction, and a consumer of the group that it commits offsets of."""

    def __init__(self, settings: KafkaSettings, group: str) -> None:
        self.producer = Producer({**settings.producer(), "transactional.id": group})
        self.producer.init_transactions(120)
        self.producer.begin_transaction()
        self._consumer = Consumer({**settings.consumer(), "group.id": group})

    def send_offsets(self, at: TopicPartition, offset: int) -> None:
        metadata = self._consumer.consumer_group_metadata()
        self.producer.send_offsets_to_transaction([ClientPartition(*at, offset)], metadata, 10.0)

    def close(self) -> None:
        self._consumer.close()


@pytest.fixture
def transaction(settings: KafkaSettings, name: str) -> Iterator[Transaction]:
    found = Transaction(settings, name)
    yield found
    found.close()


@pytest.fixture
def open_transactions(settings: KafkaSettings, name: str) -> Iterator[OpenTransactions]:
    found = OpenTransactions(settings, name)
    yield found
    found.close()


@pytest.mark.parametrize("end", ["commit", "abort"])
def test_offsets_in_a_transaction_are_seen_until_it_ends(
    transaction: Transaction, open_transactions: OpenTransactions, topics: Topics, name: str, end: str
) -> None:
    topics.create(name, 2)
    at, other = TopicPartition(name, 0), TopicPartition(name, 1)
    assert not open_transactions.have_offsets_of([at, other])
    transaction.send_offsets(at, 3)
    assert open_transactions.have_offsets_of([at, other])
    assert not open_transactions.have_offsets_of([other])
    assert not open_transactions.exist_in(at)
    if end == "commit":
        transaction.producer.commit_transaction(120)
    else:
        transaction.producer.abort_transaction(120)
    assert not open_transactions.have_offsets_of([at, other])


def test_records_in_a_transaction_are_seen_until_it_ends(
    transaction: Transaction, open_transactions: OpenTransactions, topics: Topics, name: str
) -> None:
    topics.create(name, 1)
    at = TopicPartition(name, 0)
    assert not open_transactions.exist_in(at)
    transaction.producer.produce(name, b"x")
    transaction.producer.flush()
    assert open_transactions.exist_in(at)
    transaction.producer.commit_transaction(120)
    deadline = time.monotonic() + 120  # the markers are written after the answer
    while open_transactions.exist_in(at):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_an_answer_that_is_no_open_transaction_is_an_error(
    monkeypatch: pytest.MonkeyPatch, open_transactions: OpenTransactions, name: str
) -> None:
    class Refusing:
        def committed(self, *_given: object, **_more: object) -> None:
            raise KafkaException(KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED))

    consumers = open_transactions._consumers  # noqa: SLF001 - the brokers of the tests refuse nothing
    with monkeypatch.context() as patch:
        patch.setattr(open_transactions, "_consumers", [Refusing(), consumers[1]])
        with pytest.raises(BrokerError):
            open_transactions.have_offsets_of([TopicPartition(name, 0)])


def test_an_abort_that_the_brokers_do_not_confirm_is_reported() -> None:
    class Unanswered:
        def abort_transaction(self, _timeout_s: float) -> None:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001 - its public name

    class Answered:
        def abort_transaction(self, _timeout_s: float) -> None:
            """Confirm it."""

    assert not commit_producer.aborted(Unanswered())  # type: ignore[arg-type] # what is called of a producer
    assert commit_producer.aborted(Answered())  # type: ignore[arg-type] # likewise
