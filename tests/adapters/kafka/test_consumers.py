"""What `Consumers` does when something fails; the tests of `eddyline consume` cover the rest."""

import threading
from collections.abc import Callable, Sequence
from typing import cast

import pytest
from confluent_kafka import Consumer, KafkaError, Message
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.errors import AuthorizationError
from eddyline.adapters.kafka.groups import consumers, member
from eddyline.adapters.kafka.groups.consumers import Consumers
from eddyline.adapters.kafka.groups.member import GroupMember
from eddyline.adapters.kafka.groups.start import StartPosition
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import LogRecord, TopicPartition, UnknownTopicError
from tests.adapters.kafka.conftest import Write, failed_partition


def test_no_client_is_left_open_if_the_topic_does_not_exist(
    settings: KafkaSettings, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    created: list[Consumer] = []

    def create(settings: KafkaSettings, group: str) -> Consumer:
        created.append(Consumer({**settings.consumer(), "group.id": group}))
        return created[-1]

    monkeypatch.setattr(consumers, "new_consumer", create)
    with pytest.raises(UnknownTopicError, match=name):
        Consumers(settings, name, None).run(lambda _number, _records: 0, lambda _assignments: None)
    with pytest.raises(RuntimeError, match="closed"):
        created[0].list_topics(timeout=1)


def test_a_failure_of_one_consumer_stops_all_and_is_raised(
    settings: KafkaSettings, topics: Topics, write: Write, name: str
) -> None:
    topics.create(name, 2)
    write(name, [b"v"])
    threads: set[str] = set()

    def fail(_number: int, _records: object) -> int:
        threads.add(threading.current_thread().name)
        raise ZeroDivisionError("of the callback")

    with pytest.raises(ZeroDivisionError, match="of the callback"):
        Consumers(settings, name, None, count=2).run(fail, lambda _assignments: None)
    assert threads == {"consumer-1"}
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("consumer-")]


def test_a_partition_that_is_not_assigned_yet_is_read_too_before_the_end_is_reached(
    settings: KafkaSettings, topics: Topics, write: Write, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics.create(name, 2)
    write(name, [b"0"], partition=0)
    write(name, [b"1"], partition=1)
    polls_at_end = threading.Semaphore(0)

    class MemberThatIsAssignedLate(GroupMember):
        def assign(self, partitions: Sequence[TopicPartition]) -> None:
            if threading.current_thread().name == "consumer-2":
                for _ in range(3):
                    polls_at_end.acquire(timeout=120)
            super().assign(partitions)

        def poll(self, max_records: int, timeout_s: float) -> Sequence[LogRecord]:
            records = super().poll(max_records, timeout_s)
            if self.at_end():
                polls_at_end.release()
            return records

    monkeypatch.setattr(consumers, "GroupMember", MemberThatIsAssignedLate)
    read: set[bytes | None] = set()

    def collect(_number: int, records: Sequence[LogRecord]) -> int:
        read.update(record.value for record in records)
        return len(records)

    Consumers(settings, name, None, count=2, until_end=True).run(collect, lambda _assignments: None)
    assert read == {b"0", b"1"}


RECORD = LogRecord("t", 1, 4, 0, None, None)


class ConsumerWithoutBroker:
    """A consumer whose commits have the given results, one after the other: an error for partition 1, or None."""

    def __init__(self, *codes: int | None) -> None:
        self._codes = list(codes)
        self.committed: list[int] = []
        self.revoke: Callable[..., None] = lambda *_args: None

    def subscribe(self, _topics: object, *, on_revoke: Callable[..., None], **_callbacks: object) -> None:
        self.revoke = on_revoke

    def commit(self, *, offsets: Sequence[ClientPartition], **_options: object) -> Sequence[ClientPartition]:
        code = self._codes.pop(0)
        if code is not None:
            return [failed_partition("t", code)]
        self.committed += [partition.offset for partition in offsets]
        return offsets

    def incremental_unassign(self, partitions: object) -> None:
        """Accept any partitions."""

    def assignment(self) -> Sequence[ClientPartition]:
        return []

    def consume(self, _count: int, _timeout_s: float) -> Sequence[Message]:
        return [cast("Message", EndOfPartition())]


class EndOfPartition:
    """The message of the client at the end of partition 1."""

    def error(self) -> KafkaError:
        return KafkaError(KafkaError._PARTITION_EOF)  # noqa: SLF001 - the constant's public name

    def topic(self) -> str:
        return "t"

    def partition(self) -> int:
        return 1


def _member(monkeypatch: pytest.MonkeyPatch, consumer: ConsumerWithoutBroker) -> GroupMember:
    monkeypatch.setattr(member, "new_consumer", lambda *_args, **_options: consumer)
    settings = KafkaSettings({"bootstrap.servers": "127.0.0.1:1"})
    joined = GroupMember(settings, "g", start=StartPosition(), is_new=lambda _partition: True, on_change=lambda _partitions: None)
    joined.subscribe(["t"])
    return joined


def test_a_commit_that_fails_for_one_partition_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    one = _member(monkeypatch, ConsumerWithoutBroker(KafkaError.TOPIC_AUTHORIZATION_FAILED))
    with pytest.raises(AuthorizationError, match=r"could not commit the offsets of group 'g' .*topic 't', partition 1: "):
        one.commit([RECORD])


def test_offsets_that_a_rebalance_kept_from_being_committed_are_committed_when_the_partition_is_revoked(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    consumer = ConsumerWithoutBroker(KafkaError.REBALANCE_IN_PROGRESS, None)
    one = _member(monkeypatch, consumer)
    assert not one.commit([RECORD])
    consumer.revoke(consumer, [ClientPartition("t", 1)])
    assert consumer.committed == [5]
    assert caplog.records == []


def test_offsets_that_cannot_be_committed_before_their_partition_is_revoked_are_discarded_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    consumer = ConsumerWithoutBroker(KafkaError.REBALANCE_IN_PROGRESS, KafkaError.ILLEGAL_GENERATION)
    one = _member(monkeypatch, consumer)
    assert not one.commit([RECORD])
    consumer.revoke(consumer, [ClientPartition("t", 1)])
    assert one.commit()
    assert consumer.committed == []
    assert "topic 't', partition 1 was revoked before its offset was committed" in caplog.text


def test_a_partition_is_not_at_its_end_before_its_last_records_are_committed(monkeypatch: pytest.MonkeyPatch) -> None:
    one = _member(monkeypatch, ConsumerWithoutBroker(KafkaError.REBALANCE_IN_PROGRESS, None))
    assert one.poll(1, 0) == []
    assert one.at_end() == {("t", 1)}
    assert not one.commit([RECORD])
    assert one.at_end() == set()
    assert one.commit()
    assert one.at_end() == {("t", 1)}
