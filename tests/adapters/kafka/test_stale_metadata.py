"""Answers of a client or a broker that does not know of a partition yet."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, cast

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException

from eddyline.adapters.kafka import metadata, topics
from eddyline.adapters.kafka.errors import BrokerUnavailableError
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.groups import admin as groups
from eddyline.adapters.kafka.log import admins
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_log import TopicPartition, UnknownTopicError

ADDRESS: dict[str, str | int] = {"bootstrap.servers": "127.0.0.1:1", "socket.timeout.ms": 1_000}


class Answers:
    """A consumer with one answer after the other; the last one is repeated.

    Args:
        partitions: The numbers of partitions that brokers know of, 0 for a topic that is unknown.
        brokers: The number of brokers.
        unknown: How many times the client does not know a partition, although the brokers have it.
    """

    def __init__(self, *partitions: int, brokers: int = 1, unknown: int = 0) -> None:
        self.partitions, self.brokers, self.unknown, self.asked = list(partitions), brokers, unknown, 0

    def list_topics(self, topic: str | None = None, timeout: float = 0) -> Any:
        del timeout
        topic = topic or "orders"
        self.asked += 1
        count = self.partitions.pop(0) if len(self.partitions) > 1 else self.partitions[0]
        error = None if count else KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)
        found = SimpleNamespace(error=error, partitions={number: SimpleNamespace(leader=1) for number in range(count)})
        return SimpleNamespace(topics={topic: found}, brokers=dict.fromkeys(range(self.brokers)))

    def get_watermark_offsets(self, _partition: object, timeout: float) -> tuple[int, int]:
        del timeout
        if self.unknown:
            self.unknown -= 1
            raise KafkaException(KafkaError(KafkaError._UNKNOWN_PARTITION))  # noqa: SLF001 - that is the constant's public name
        return 0, 5


def log_with(consumer: Answers, monkeypatch: pytest.MonkeyPatch) -> KafkaEventLog:
    @contextmanager
    def opened(_log: KafkaEventLog) -> Iterator[Answers]:
        yield consumer

    monkeypatch.setattr(KafkaEventLog, "_metadata_consumer", opened)
    return KafkaEventLog(ADDRESS)


def counted(answers: Answers, at_least: int) -> int:
    return metadata.partition_count(KafkaSettings(ADDRESS), cast("Consumer", answers), "orders", at_least=at_least)


def test_a_partition_that_the_client_learns_of_later_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert log_with(Answers(1, unknown=1), monkeypatch).bounds("orders", 0) == (0, 5)


def test_a_partition_that_the_client_never_learns_of_is_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BrokerUnavailableError, match=r"topic 'orders', partition 0 .* new, and not known everywhere yet"):
        log_with(Answers(1, unknown=1_000), monkeypatch).bounds("orders", 0)


@pytest.mark.parametrize(("answers", "at_least"), [((0, 0, 2), 1), ((2, 2, 4), 4), ((0, 2, 0, 4), 3)])
def test_a_broker_that_does_not_know_of_a_topic_or_a_partition_yet_is_not_believed(answers: Sequence[int], at_least: int) -> None:
    found = Answers(*answers, brokers=3)
    assert (counted(found, at_least), found.asked) == (answers[-1], len(answers))


class Restarting(Answers):
    """A client whose brokers break this many connections before they answer."""

    def __init__(self, failures: int) -> None:
        super().__init__(2)
        self.failures = failures

    def list_topics(self, topic: str | None = None, timeout: float = 0) -> Any:
        if self.failures:
            self.failures -= 1
            raise KafkaException(KafkaError(KafkaError._TRANSPORT))  # noqa: SLF001 - that is the constant's public name
        return super().list_topics(topic, timeout)

    def poll(self, _timeout: float) -> None:
        """Serve no callbacks."""


def test_brokers_that_restart_are_asked_again() -> None:
    assert counted(Restarting(2), 1) == 2


def test_brokers_that_do_not_come_back_are_an_outage() -> None:
    with pytest.raises(BrokerUnavailableError, match=r"could not look up topic 'orders' at 127\.0\.0\.1:1: .*_TRANSPORT"):
        counted(Restarting(1_000), 1)


def test_a_topic_is_created_by_brokers_that_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    class Admin(Restarting):
        def create_topics(self, wanted: Sequence[Any], **_options: object) -> dict[str, "Future[None]"]:
            created: Future[None] = Future()
            if self.failures:
                self.failures -= 1
                created.set_exception(KafkaException(KafkaError(KafkaError._TRANSPORT)))  # noqa: SLF001 - likewise
            else:
                created.set_result(None)
            return {wanted[0].topic: created}

    monkeypatch.setattr(topics, "new_admin", lambda _settings: Admin(2))
    assert topics.Topics(KafkaSettings(ADDRESS)).create("orders", 2)


def test_a_single_broker_is_believed_at_once() -> None:
    found = Answers(2, 4)
    assert (counted(found, 4), found.asked) == (2, 1)


def test_what_no_broker_knows_of_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "PROPAGATION_S", 0.2)
    assert counted(Answers(2, brokers=3), 4) == 2
    with pytest.raises(UnknownTopicError, match="topic 'orders' is unknown"):
        counted(Answers(0, brokers=3), 1)


def test_partitions_that_a_broker_does_not_know_of_yet_are_asked_for_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Admin(Answers):
        def list_offsets(self, partitions: Iterable[Any], **_options: object) -> dict[Any, "Future[Any]"]:
            assert self.asked, "the client does not know the leaders yet"
            unknown: Future[Any] = Future()
            unknown.set_exception(KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART)))
            return dict.fromkeys(partitions, unknown)

    monkeypatch.setattr(admins, "new_admin", lambda _settings: Admin(2))
    log = log_with(Answers(2, unknown=1), monkeypatch)
    assert log.topic_bounds(["orders"]) == {"orders": [(0, 5), (0, 5)]}
    admins.close_admins(KafkaSettings(ADDRESS))


def test_a_client_of_groups_learns_the_leaders_before_it_is_asked_for_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    class Admin(Answers):
        def list_offsets(self, partitions: Iterable[Any], **_options: object) -> dict[Any, "Future[Any]"]:
            assert self.asked, "the client does not know the leaders yet"
            end: Future[Any] = Future()
            end.set_result(SimpleNamespace(offset=5))
            return dict.fromkeys(partitions, end)

    monkeypatch.setattr(groups, "new_admin", lambda _settings: Admin(2))
    partition = TopicPartition("orders", 1)
    assert groups.ConsumerGroups(KafkaSettings(ADDRESS)).offsets({partition: groups.LATEST}) == {partition: 5}


def test_a_log_expects_the_partitions_that_it_has_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    log = log_with(Answers(2, 4, 2, 4, 2, 2, 4, brokers=3), monkeypatch)
    assert [log.partitions("orders") for _ in range(3)] == [2, 4, 4]
    assert log.bounds("orders", 3) == (0, 5)
