"""Producers and consumers of programs, on every event log; what needs several brokers or processes is tested on Kafka alone."""

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest

import eddyline
from eddyline import Acknowledgement, Consumer, DeliveryError, Producer, RebalanceListener, RecordError, TopicPartition
from eddyline.adapters.services.broker import Broker
from eddyline.adapters.services.registry import Registry
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import UnknownTopicError
from eddyline.application.ports.event_sink import InvalidTopicError
from eddyline.testing import MemoryEventLog

_WAIT_S = 30.0


@dataclass(frozen=True)
class Deal:
    person: str
    amount: float


@pytest.fixture(params=["memory", "files", pytest.param("kafka", marks=pytest.mark.services)])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    own: dict[str, Any] = {"create_topics": True, "num_partitions": 2}
    if request.param == "memory":
        return {**own, "log": MemoryEventLog()}
    if request.param == "files":
        return {**own, "log": "files", "data_dir": tmp_path}
    broker: Broker = request.getfixturevalue("kafka_broker")
    return {**own, "bootstrap_servers": broker.bootstrap_servers}


@pytest.fixture
def topic() -> str:
    return f"deals-{uuid4().hex[:8]}"


def deals(*amounts: float) -> list[Deal]:
    return [Deal("ann", amount) for amount in amounts]


def send(topic: str, settings: dict[str, Any], *amounts: float, partition: int = 0) -> None:
    with Producer(topic, value=Deal, **settings) as producer:
        for number, deal in enumerate(deals(*amounts)):
            producer.send(deal, key="k", partition=partition, timestamp=1_000 * (number + 1))


def read(consumer: Consumer[str, Deal], count: int) -> list[Deal | None]:
    """Return the next values, at least so many."""
    found: list[Deal | None] = []
    deadline = time.monotonic() + _WAIT_S
    while len(found) < count:
        assert time.monotonic() < deadline, found
        found += [record.value for record in consumer.poll(0.2)]
    return found


def wait_for(fact: Callable[[], bool], *consumers: Consumer[str, Deal]) -> None:
    deadline = time.monotonic() + _WAIT_S
    while not fact():
        assert time.monotonic() < deadline
        for consumer in consumers:
            consumer.poll(0.05)


@pytest.mark.services
@pytest.mark.parametrize("codec", ["avro", "json-schema", "protobuf"])
def test_values_have_schemas_of_a_registry(kafka_broker: Broker, schema_registry: Registry, topic: str, codec: str) -> None:
    settings: dict[str, Any] = {
        "bootstrap_servers": kafka_broker.bootstrap_servers,
        "schema_registry_url": schema_registry.url,
        "default_value_codec": codec,
        "create_topics": True,
    }
    send(topic, settings, 1.0, 2.0)
    with Consumer(topic, group="g", value=Deal, **settings) as consumer:
        assert read(consumer, 2) == deals(1.0, 2.0)
    assert httpx.get(f"{schema_registry.url}/subjects/{topic}-value/versions", trust_env=False).json() == [1]


# --- producers ------------------------------------------------------------------------------------------------------------


def test_an_acknowledgement_has_partition_and_offset(topic: str, settings: dict[str, Any]) -> None:
    with Producer(topic, value=Deal, **settings) as producer:
        found = [producer.send(deal, partition=1, timestamp=5).result(_WAIT_S) for deal in deals(1.0, 2.0)]
    assert [each[:4] for each in found] == [(topic, 1, 0, 5), (topic, 1, 1, 5)]


def test_asyncio_awaits_an_acknowledgement(topic: str, settings: dict[str, Any]) -> None:
    async def program() -> Acknowledgement:
        with Producer(topic, value=Deal, **settings) as producer:
            return await asyncio.wrap_future(producer.send(Deal("ann", 1.0), key="k"))

    assert asyncio.run(program()).offset == 0


def test_a_callback_receives_each_acknowledgement_and_its_own_error_harms_nothing(topic: str, settings: dict[str, Any]) -> None:
    found: list[int | None] = []

    def on_acknowledgement(done: Acknowledgement | None, error: DeliveryError | None) -> None:
        assert error is None
        assert done is not None
        found.append(done.offset)
        raise RuntimeError("of the program")

    with Producer(topic, value=Deal, **settings) as producer:
        for deal in deals(1.0, 2.0, 3.0):
            producer.send(deal, partition=0, on_acknowledgement=on_acknowledgement)
    assert found == [0, 1, 2]


def test_two_producers_at_once_receive_the_offsets_of_their_own_records(topic: str, settings: dict[str, Any]) -> None:
    with Producer(topic, value=Deal, **settings) as one, Producer(topic, value=Deal, **settings) as other:
        sent = {
            name: [producer.send(Deal(name, float(number)), partition=0) for number in range(50)]
            for name, producer in (("one", one), ("other", other))
        }
        offsets = {future.result(_WAIT_S).offset: (name, float(n)) for name in sent for n, future in enumerate(sent[name])}
    with Consumer(topic, value=Deal, **settings) as consumer:
        wait_for(lambda: bool(consumer.assignment))
        written: dict[int | None, Any] = {}
        wait_for(lambda: _note(consumer, written) >= 100)
    assert {offset: (deal.person, deal.amount) for offset, deal in written.items()} == offsets


def _note(consumer: Consumer[str, Deal], written: dict[int | None, Any]) -> int:
    written |= {record.offset: record.value for record in consumer.poll(0.1)}
    return len(written)


def test_a_function_of_key_value_and_partitions_chooses_the_partition(topic: str, settings: dict[str, Any]) -> None:
    def by_amount(_key: str | None, deal: Deal | None, partitions: int) -> int:
        return 0 if deal is not None and deal.amount > 10_000 else partitions - 1

    with Producer(topic, value=Deal, partitioner=by_amount, **settings) as producer:
        found = [producer.send(deal, key="k").result(_WAIT_S).partition for deal in deals(20_000.0, 1.0)]
    assert found == [0, 1]


def test_keys_headers_times_and_tombstones_are_read_back(topic: str, settings: dict[str, Any]) -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    with Producer(topic, value=Deal, **settings) as producer:
        producer.send(None, key="k", timestamp=at, headers={"a": "b", "c": None}, partition=0)
    with Consumer(topic, value=Deal, partitions=[0], **settings) as consumer:
        (record,) = consumer.poll(_WAIT_S)
    assert (record.key, record.value, record.timestamp) == ("k", None, 1_772_323_200_000)
    assert record.headers == (("a", b"b"), ("c", None))


def test_values_of_another_type_partitions_and_topics_that_do_not_exist_are_errors(topic: str, settings: dict[str, Any]) -> None:
    with Producer(topic, value=Deal, **settings) as producer:
        with pytest.raises(CodecError, match=f"the value 5 cannot be written to topic '{topic}'"):
            producer.send(5)  # type: ignore[arg-type]
        with pytest.raises(InvalidTopicError, match=f"topic '{topic}' has no partition 7; it has 0 to 1"):
            producer.send(Deal("ann", 1.0), partition=7)
    with pytest.raises(RuntimeError, match=f"the producer of topic '{topic}' is closed"):
        producer.send(Deal("ann", 1.0))
    with pytest.raises(UnknownTopicError, match=r"topic 'none' is unknown .*create it with 'eddyline topics create none'"):
        Producer("none", **{**settings, "create_topics": False})
    with pytest.raises(UnknownTopicError, match="topic 'none' is unknown"):
        Consumer("none", **{**settings, "create_topics": False})
    with pytest.raises(ValueError, match=r"unknown setting 'batch\.size\.of\.mine'"):
        Producer(topic, batch_size_of_mine=1, **settings)


@pytest.mark.services
def test_a_record_that_the_brokers_refuse_is_an_error_of_its_future_and_of_flush(topic: str, kafka_broker: Broker) -> None:
    kafka: dict[str, Any] = {"bootstrap_servers": kafka_broker.bootstrap_servers, "create_topics": True}
    large = {"message.max.bytes": 20_000_000, "compression.type": "none"}
    producer = Producer(topic, value=str, settings=large, **kafka)
    failed = producer.send("x" * 10_000_000)
    with pytest.raises(DeliveryError, match=f"topic '{topic}', partition"):
        failed.result(_WAIT_S)
    with pytest.raises(DeliveryError, match=f"1 record was not written to topic '{topic}'"):
        producer.close()


# --- consumers ------------------------------------------------------------------------------------------------------------


def test_a_group_continues_after_its_committed_offsets(topic: str, settings: dict[str, Any]) -> None:
    send(topic, settings, 1.0, 2.0, 3.0)
    with Consumer(topic, group=topic, value=Deal, **settings) as consumer:
        first = next(iter(consumer))
        consumer.commit(first)
        assert consumer.committed() == {TopicPartition(topic, 0): 1}
    with Consumer(topic, group=topic, value=Deal, **settings) as consumer:
        assert read(consumer, 2) == deals(2.0, 3.0)
        consumer.commit()
    with Consumer(topic, group=topic, value=Deal, **settings) as consumer:
        wait_for(lambda: len(consumer.assignment) == 2, consumer)
        consumer.commit({0: 1})
    with Consumer(topic, group=topic, value=Deal, **settings) as consumer:
        assert read(consumer, 2) == deals(2.0, 3.0)


def test_batches_are_committed_one_by_one_and_not_if_their_processing_fails(topic: str, settings: dict[str, Any]) -> None:
    send(topic, settings, 1.0, 2.0, 3.0)

    def process(consumer: Consumer[str, Deal]) -> None:
        for number, batch in enumerate(consumer.batches(max_records=1)):
            assert len(batch) == 1
            if number == 1:
                raise RuntimeError("of the program")

    with Consumer(topic, group=topic, value=Deal, **settings) as consumer, pytest.raises(RuntimeError, match="of the program"):
        process(consumer)
    with Consumer(topic, group=topic, value=Deal, **settings) as consumer:
        assert read(consumer, 2) == deals(2.0, 3.0)


def test_a_commit_without_waiting_is_reported(topic: str, settings: dict[str, Any]) -> None:
    send(topic, settings, 1.0)
    reports: list[Any] = []
    with Consumer(topic, group=topic, value=Deal, **settings) as consumer:
        read(consumer, 1)
        consumer.commit_async(on_commit=lambda offsets, error: reports.append((dict(offsets), error)))
        wait_for(lambda: bool(reports), consumer)
        assert reports == [({TopicPartition(topic, 0): 1}, None)]
        assert consumer.committed(0) == {TopicPartition(topic, 0): 1}


def test_a_consumer_seeks_to_offsets_times_the_beginning_and_the_end(topic: str, settings: dict[str, Any]) -> None:
    send(topic, settings, 1.0, 2.0, 3.0)
    with Consumer(topic, group=topic, value=Deal, **settings) as consumer:
        read(consumer, 3)
        consumer.seek(0, 1)
        assert read(consumer, 2) == deals(2.0, 3.0)
        consumer.seek_to_beginning()
        assert read(consumer, 3) == deals(1.0, 2.0, 3.0)
        consumer.seek_to_time(3_000)
        assert read(consumer, 1) == deals(3.0)
        consumer.seek_to_time(datetime.fromtimestamp(2, UTC), 0)
        assert read(consumer, 2) == deals(2.0, 3.0)
        consumer.seek_to_beginning()
        consumer.seek_to_end()
        send(topic, settings, 4.0)
        assert read(consumer, 1) == deals(4.0)
        with pytest.raises(ValueError, match=f"the consumer does not have partition 7 of topic '{topic}'"):
            consumer.seek(7, 0)


@pytest.mark.parametrize(
    ("start", "expected"),
    [("beginning", (1.0, 2.0, 3.0)), (1, (2.0, 3.0)), (datetime.fromtimestamp(3, UTC), (3.0,)), ("committed", (1.0, 2.0, 3.0))],
)
def test_a_consumer_without_a_group_starts_where_it_should(
    topic: str, settings: dict[str, Any], start: Any, expected: Sequence[float]
) -> None:
    send(topic, settings, 1.0, 2.0, 3.0)
    with Consumer(topic, value=Deal, start=start, partitions=[0], **settings) as consumer:
        assert read(consumer, len(expected)) == deals(*expected)
        assert consumer.position(0) == 3
        with pytest.raises(ValueError, match="has no group to commit offsets for; pass group="):
            consumer.commit()


def test_a_wakeup_from_another_thread_ends_a_poll_and_a_loop(topic: str, settings: dict[str, Any]) -> None:
    send(topic, settings, 1.0)
    with Consumer(topic, group=topic, value=Deal, **settings) as consumer:
        seen = []
        for record in consumer:
            seen.append(record.value)
            threading.Thread(target=consumer.wakeup).start()
        assert seen == deals(1.0)
        threading.Timer(0.2, consumer.wakeup).start()
        with pytest.raises(eddyline.WakeupError):
            consumer.poll(_WAIT_S)


def test_a_standby_takes_over_where_the_active_member_has_committed(topic: str, settings: dict[str, Any]) -> None:
    own = {**settings, "num_partitions": 1}
    send(topic, own, 1.0, 2.0)
    with Consumer(topic, group=topic, value=Deal, **own) as one, Consumer(topic, group=topic, value=Deal, **own) as other:
        wait_for(lambda: one.is_standby != other.is_standby, one, other)
        active, standby = (other, one) if one.is_standby else (one, other)
        active.seek_to_beginning()
        assert read(active, 2) == deals(1.0, 2.0)
        active.commit({0: 1})
        active.close()
        assert read(standby, 1) == deals(2.0)


class Listener(RebalanceListener):
    """Notes what happens, and commits before partitions move."""

    def __init__(self, seek_to: int | None = None) -> None:
        self.events: list[tuple[str, list[int]]] = []
        self.consumer: Consumer[str, Deal] | None = None
        self._seek_to = seek_to

    def on_assigned(self, partitions: Sequence[TopicPartition]) -> None:
        self.events.append(("assigned", [each.partition for each in partitions]))
        if self._seek_to is not None and self.consumer is not None:
            for partition in partitions:
                self.consumer.seek(partition, self._seek_to)

    def on_revoked(self, partitions: Sequence[TopicPartition]) -> None:
        self.events.append(("revoked", [each.partition for each in partitions]))
        if self.consumer is not None:
            self.consumer.commit()


def test_a_listener_commits_before_a_partition_moves_to_a_new_member(topic: str, settings: dict[str, Any]) -> None:
    if settings.get("log") == "files":
        pytest.skip("one member of a group on files has all partitions")
    send(topic, settings, 1.0, partition=0)
    send(topic, settings, 2.0, partition=1)
    listener = Listener()
    with Consumer(topic, group=topic, value=Deal, listener=listener, **settings) as one:
        listener.consumer = one
        assert sorted(read(one, 2), key=str) == deals(1.0, 2.0)
        with Consumer(topic, group=topic, value=Deal, **settings) as other:
            wait_for(lambda: len(other.assignment) == 1 == len(one.assignment), one, other)
            assert other.poll(0.1) == []
            assert other.committed() == dict.fromkeys(other.assignment, 1)
    assert listener.events[0][0] == "assigned"
    assert any(kind == "revoked" for kind, _ in listener.events)


def test_a_listener_may_seek_when_partitions_are_assigned(topic: str, settings: dict[str, Any]) -> None:
    send(topic, settings, 1.0, 2.0, 3.0)
    send(topic, settings, 1.0, 2.0, 3.0, partition=1)
    listener = Listener(seek_to=2)
    with Consumer(topic, group=topic, value=Deal, listener=listener, **settings) as consumer:
        listener.consumer = consumer
        assert read(consumer, 2) == deals(3.0, 3.0)


def test_a_record_that_cannot_be_decoded_is_an_error_that_a_seek_passes(topic: str, settings: dict[str, Any]) -> None:
    with Producer(topic, value=str, **settings) as producer:
        for text in ('{"person": "ann", "amount": 1.0}', "broken", '{"person": "ann", "amount": 3.0}'):
            producer.send(text, partition=0, key="k")
    with Consumer(topic, value=Deal, partitions=[0], **settings) as consumer:
        assert read(consumer, 1) == deals(1.0)
        with pytest.raises(RecordError, match=f"topic '{topic}', partition 0, offset 1 cannot be decoded"):
            consumer.poll(_WAIT_S)
        with pytest.raises(RecordError, match="offset 1 cannot be decoded") as raised:
            consumer.poll(_WAIT_S)
        assert (raised.value.key, raised.value.value) == (b"k", b"broken")
        consumer.seek(raised.value.partition, raised.value.offset + 1)
        assert read(consumer, 1) == deals(3.0)
    found: list[RecordError] = []
    with Consumer(topic, value=Deal, partitions=[0], on_error=found.append, **settings) as consumer:
        assert read(consumer, 2) == deals(1.0, 3.0)
    assert [error.offset for error in found] == [1]


@pytest.fixture(autouse=True)
def _working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
