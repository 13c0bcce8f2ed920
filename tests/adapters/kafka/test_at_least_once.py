"""At least once without a broker: a batch is written when each of its records was delivered, however late that turns out."""

from collections.abc import Callable
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from eddyline.adapters.kafka import event_sink
from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.errors import DeliveryError
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.application.ports.event_sink import SinkRecord


class FakeMessage:
    def topic(self) -> str:
        return "t"

    def partition(self) -> int:
        return 0


class DelayedProducer:
    """A producer that reports deliveries only when it is flushed, with the errors in `failures` by value."""

    def __init__(self, fixed: dict[str, Any], failures: dict[bytes, KafkaError]) -> None:
        self._report = fixed["on_delivery"]
        self._failures = failures
        self._queued: list[bytes] = []
        self.delivered: list[bytes] = []
        self.is_purged = False
        self.fails_on: bytes | None = None

    def produce(self, _topic: str, value: bytes, *_options: object) -> None:
        if value == self.fails_on:
            raise KafkaException(KafkaError(KafkaError._FATAL, "epoch is old", fatal=True))  # noqa: SLF001 - the constant's public name
        self._queued.append(value)

    def poll(self, _timeout_s: float) -> int:
        return 0

    def flush(self) -> int:
        for value in self._queued:
            error = self._failures.get(value)
            if error is None:
                self.delivered.append(value)
            else:
                self._report(error, FakeMessage())
        self._queued.clear()
        return 0

    def purge(self) -> None:
        self.is_purged = True

    def __len__(self) -> int:
        return len(self._queued)


Sinks = Callable[..., tuple[KafkaEventSink, list[DelayedProducer]]]


@pytest.fixture
def new_sink(monkeypatch: pytest.MonkeyPatch) -> Sinks:
    """Returns a function that creates a sink and the list of its producers, whose deliveries fail as given."""
    monkeypatch.setattr(event_sink, "_PRODUCERS", ClientPool(limit=4, close=lambda _client: None))
    monkeypatch.setattr(KafkaEventSink, "_partition_count", lambda *_: 1)

    def sink(**failures: int) -> tuple[KafkaEventSink, list[DelayedProducer]]:
        producers: list[DelayedProducer] = []
        by_value = {value.encode(): KafkaError(code, "no") for value, code in failures.items()}

        def new_producer(*_settings: object, fixed: dict[str, Any], **_defaults: object) -> DelayedProducer:
            producers.append(DelayedProducer(fixed, by_value))
            return producers[-1]

        monkeypatch.setattr(event_sink, "new_producer", new_producer)
        return KafkaEventSink({"bootstrap.servers": "127.0.0.1:1"}, guarantee="at-least-once"), producers

    return sink


def records(*values: bytes) -> list[SinkRecord]:
    return [SinkRecord("t", b"k", value, 1_000, (), 0) for value in values]


def test_a_batch_is_written_only_when_all_its_delayed_deliveries_have_arrived(new_sink: Sinks) -> None:
    sink, producers = new_sink()
    assert sink.write("w", 0, 0, records(b"a", b"b"))
    assert [producer.delivered for producer in producers] == [[b"a", b"b"]]


def test_the_producer_is_kept_for_the_next_batch(new_sink: Sinks) -> None:
    sink, producers = new_sink()
    assert sink.write("w", 0, 0, records(b"a"))
    assert sink.write("w", 0, 1, records(b"b"))
    assert [producer.delivered for producer in producers] == [[b"a", b"b"]]


@pytest.mark.parametrize("code", [KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError._MSG_TIMED_OUT])  # noqa: SLF001 - likewise
def test_a_delivery_that_fails_at_the_flush_fails_the_batch_and_its_producer_is_not_used_again(
    new_sink: Sinks, code: int
) -> None:
    sink, producers = new_sink(bad=code)
    with pytest.raises(DeliveryError, match=r"1 record could not be written at 127\.0\.0\.1:1: .*no"):
        sink.write("w", 0, 0, records(b"a", b"bad"))
    assert producers[0].is_purged
    assert sink.write("w", 0, 0, records(b"a"))
    assert [producer.delivered for producer in producers] == [[b"a"], [b"a"]]


@pytest.mark.parametrize("name", ["_FATAL", "_FENCED", "_PURGE_QUEUE", "_PURGE_INFLIGHT", "_STATE"])
def test_records_that_a_failed_producer_gives_up_fail_the_batch(new_sink: Sinks, name: str) -> None:
    sink, producers = new_sink(given_up=getattr(KafkaError, name))
    with pytest.raises(DeliveryError, match=rf"1 record could not be written .*\({name}\)"):
        sink.write("w", 0, 0, records(b"a", b"given_up"))
    assert producers[0].is_purged
    assert sink.write("w", 0, 0, records(b"a"))
    assert len(producers) == 2


def test_what_was_rejected_is_named_before_what_the_producer_gave_up_then(new_sink: Sinks) -> None:
    sink, _ = new_sink(big=KafkaError.TOPIC_AUTHORIZATION_FAILED, given_up=KafkaError._PURGE_QUEUE)  # noqa: SLF001 - likewise
    with pytest.raises(DeliveryError, match=r"1 record could not be written .*TOPIC_AUTHORIZATION_FAILED"):
        sink.write("w", 0, 0, records(b"given_up", b"big"))


def test_a_producer_that_fails_while_records_are_passed_to_it_is_not_used_again(new_sink: Sinks) -> None:
    sink, producers = new_sink()
    assert sink.write("w", 0, 0, records(b"a"))
    producers[0].fails_on = b"c"
    with pytest.raises(Exception, match="epoch is old"):
        sink.write("w", 0, 1, records(b"b", b"c"))
    assert producers[0].is_purged
    assert sink.write("w", 0, 1, records(b"b", b"c"))
    assert [producer.delivered for producer in producers] == [[b"a"], [b"b", b"c"]]
