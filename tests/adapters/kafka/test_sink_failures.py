"""The failures that a sink meets, with clients that fail without a broker."""

from collections.abc import Callable

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from eddyline.adapters.kafka import event_sink
from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.errors import AuthenticationError, AuthorizationError, BrokerUnavailableError, ProducerFencedError
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink import batch_numbers, transactional_writer
from eddyline.adapters.kafka.sink.batch_numbers import BatchNumbers
from eddyline.adapters.kafka.sink.transactional_writer import TransactionalWriter
from tests.adapters.kafka.conftest import failed_partition


class FailingClient:
    """A consumer whose committed offsets cannot be read, and a producer whose transactions cannot be initialized."""

    def __init__(self) -> None:
        self.is_purged = False

    def committed(self, _partitions: object, **_options: object) -> list[TopicPartition]:
        return [failed_partition("w-batches", KafkaError.TOPIC_AUTHORIZATION_FAILED)]

    def list_topics(self, _topic: str, **_options: object) -> None:
        raise KafkaException(KafkaError(KafkaError.BROKER_NOT_AVAILABLE))

    def init_transactions(self, _timeout_s: float) -> None:
        raise KafkaException(KafkaError(KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))

    def purge(self) -> None:
        self.is_purged = True


@pytest.fixture
def settings() -> KafkaSettings:
    return KafkaSettings({"bootstrap.servers": "127.0.0.1:1"})


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch, settings: KafkaSettings) -> BatchNumbers:
    monkeypatch.setattr(batch_numbers, "new_consumer", lambda *_args, **_options: FailingClient())
    numbers = BatchNumbers(settings, "w")
    monkeypatch.setattr(numbers, "ensure_slot", lambda _slot: None)
    return numbers


def test_a_batch_number_that_cannot_be_read_is_an_error_and_not_the_first_batch(numbers: BatchNumbers) -> None:
    with pytest.raises(AuthorizationError, match=r"could not read the last batch of slot 1 from group 'w-batches' .* an ACL"):
        numbers.last(1, timeout_s=1)


def test_a_producer_that_cannot_be_initialized_is_disposed_of(
    settings: KafkaSettings, numbers: BatchNumbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    producer = FailingClient()
    disposed: list[object] = []
    monkeypatch.setattr(transactional_writer, "new_producer", lambda *_args, **_options: producer)
    monkeypatch.setattr(transactional_writer, "dispose_in_background", disposed.append)
    with pytest.raises(KafkaException, match="TRANSACTIONAL_ID_AUTHORIZATION_FAILED"):
        TransactionalWriter(settings, "w", 0, numbers, Deadline(1))
    assert producer.is_purged
    assert disposed == [producer]


def test_the_first_producer_of_a_batch_waits_for_five_seconds_in_each_call_and_the_next_ones_longer(
    settings: KafkaSettings, numbers: BatchNumbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    def call(_action: str, _call: object, timeout_s: float) -> None:
        waited.append(timeout_s)
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001 - the constant's public name

    monkeypatch.setattr(transactional_writer, "new_producer", lambda *_args, **_options: FailingClient())
    monkeypatch.setattr(transactional_writer, "call_with_timeout", call)
    for attempt in range(4):
        with pytest.raises(KafkaException):
            TransactionalWriter(settings, "w", 0, numbers, Deadline(60), attempt=attempt)
    assert waited == [5.0, 10.0, 15.0, 15.0]


@pytest.fixture
def attempts() -> list[Exception]:
    return []


@pytest.fixture
def failing_sink(
    settings: KafkaSettings, attempts: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> Callable[[Exception], KafkaEventSink]:
    """Returns a sink for which every attempt to write fails like this, and is recorded in `attempts`."""

    def sink(error: Exception) -> KafkaEventSink:
        def fail(*_args: object, **_options: object) -> bool:
            attempts.append(error)
            raise error

        monkeypatch.setattr(event_sink, "_RETRY_S", 0.0)
        monkeypatch.setattr(KafkaEventSink, "_write_in_transaction", fail)
        return KafkaEventSink(settings, timeout_s=0.2)

    return sink


def test_a_producer_that_is_fenced_again_and_again_names_its_transactional_id_and_a_fix(
    failing_sink: Callable[[Exception], KafkaEventSink],
) -> None:
    fenced = KafkaException(KafkaError(KafkaError._FENCED))  # noqa: SLF001 - the constant's public name
    with pytest.raises(
        ProducerFencedError,
        match=r"could not write batch 5 of slot 0 of writer 'w': transactional id 'w-0' was fenced 4 times; stop other runs with "
        r"this application id, or raise transaction\.timeout\.ms",
    ):
        failing_sink(fenced).write("w", 0, 5, [])


def test_an_outage_is_an_error_after_the_timeout(failing_sink: Callable[[Exception], KafkaEventSink]) -> None:
    outage = KafkaException(KafkaError(KafkaError._TIMED_OUT, "no answer"))  # noqa: SLF001 - likewise
    with pytest.raises(
        BrokerUnavailableError,
        match=r"could not write batch 5 of slot 0 of writer 'w' at 127\.0\.0\.1:1: no answer \(_TIMED_OUT\); check that",
    ):
        failing_sink(outage).write("w", 0, 5, [])


def test_a_failed_authentication_is_retried_until_the_timeout(
    failing_sink: Callable[[Exception], KafkaEventSink], attempts: list[Exception]
) -> None:
    sink = failing_sink(AuthenticationError("wrong password"))
    with pytest.raises(AuthenticationError, match="wrong password"):
        sink.write("w", 0, 5, [])
    assert len(attempts) > 1
    assert sink.take_retries() == {"retried": len(attempts) - 1}


def test_a_missing_permission_is_not_retried(
    failing_sink: Callable[[Exception], KafkaEventSink], attempts: list[Exception]
) -> None:
    unauthorized = KafkaException(KafkaError(KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED))
    with pytest.raises(AuthorizationError, match="grant the client's principal an ACL for the transactional id"):
        failing_sink(unauthorized).write("w", 0, 5, [])
    assert len(attempts) == 1
