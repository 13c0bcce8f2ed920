import pytest
from confluent_kafka import KafkaError, TopicPartition

from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.errors import AuthorizationError, BrokerError
from eddyline.adapters.kafka.groups import committed_offsets
from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.groups.committed_offsets import commit_group_offsets, group_offsets
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from tests.adapters.kafka.conftest import Join, failed_partition


def test_offsets_of_a_flow_are_visible_as_lag(settings: KafkaSettings, topics: Topics, name: str) -> None:
    topics.create(name, 2)
    commit_group_offsets(settings, name, {(name, 0): 0, (name, 1): 0})
    commit_group_offsets(settings, name, {(name, 1): 7})
    commit_group_offsets(settings, name, {})
    assert group_offsets(settings, name, [(name, 0), (name, 1)]) == {(name, 0): 0, (name, 1): 7}
    partitions = ConsumerGroups(settings).describe(name).partitions
    assert [(row.committed, row.client) for row in partitions] == [(0, ""), (7, "")]


def test_partitions_without_a_committed_offset_are_left_out(settings: KafkaSettings, topics: Topics, name: str) -> None:
    topics.create(name, 1)
    assert group_offsets(settings, name, [(name, 0)]) == {}


def test_offsets_of_a_group_with_members_cannot_be_committed(
    settings: KafkaSettings, topics: Topics, join: Join, name: str
) -> None:
    topics.create(name, 1)
    join(name)
    with pytest.raises(BrokerError, match=f"could not commit the offsets of group '{name}'"):
        commit_group_offsets(settings, name, {(name, 0): 0})


class UnauthorizedConsumer:
    """A consumer whose requests fail for partition 1 of a topic only, which the brokers report for that partition alone."""

    def commit(self, **_options: object) -> list[TopicPartition]:
        return [TopicPartition("t", 0, 5), failed_partition("t", KafkaError.TOPIC_AUTHORIZATION_FAILED)]

    def committed(self, _partitions: object, **_options: object) -> list[TopicPartition]:
        return self.commit()


@pytest.fixture
def unauthorized(monkeypatch: pytest.MonkeyPatch) -> KafkaSettings:
    """Settings whose consumer may not access partition 1."""
    monkeypatch.setattr(committed_offsets, "new_consumer", lambda *_args: UnauthorizedConsumer())
    monkeypatch.setattr(committed_offsets, "_CONSUMERS", ClientPool(limit=1, close=lambda _consumer: None))
    return KafkaSettings({"bootstrap.servers": "127.0.0.1:1"})


def test_a_commit_that_fails_for_one_partition_is_an_error(unauthorized: KafkaSettings) -> None:
    with pytest.raises(AuthorizationError, match="topic 't', partition 1: Broker: Topic authorization failed"):
        commit_group_offsets(unauthorized, "g", {("t", 0): 5, ("t", 1): 5})


def test_an_offset_that_cannot_be_read_is_an_error_and_not_a_missing_offset(unauthorized: KafkaSettings) -> None:
    with pytest.raises(AuthorizationError, match="topic 't', partition 1: Broker: Topic authorization failed"):
        group_offsets(unauthorized, "g", [("t", 0), ("t", 1)])
