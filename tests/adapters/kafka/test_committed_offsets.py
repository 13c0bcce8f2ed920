import pytest
from confluent_kafka import KafkaError, TopicPartition

from eddyline.adapters.kafka.clients.factory import new_consumer
from eddyline.adapters.kafka.clients.pool import ClientPool
from eddyline.adapters.kafka.errors import AuthorizationError, BrokerError
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.groups import committed_offsets
from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.groups.committed_offsets import commit_group_offsets, group_offsets
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import TopicPartition as FlowPartition
from tests.adapters.kafka.conftest import Join, failed_partition


def test_offsets_of_a_flow_are_visible_as_lag(settings: KafkaSettings, topics: Topics, name: str) -> None:
    topics.create(name, 2)
    commit_group_offsets(settings, name, {(name, 0): 0, (name, 1): 0})
    commit_group_offsets(settings, name, {(name, 1): 7})
    commit_group_offsets(settings, name, {})
    assert group_offsets(settings, name, [(name, 0), (name, 1)]) == {(name, 0): 0, (name, 1): 7}
    partitions = ConsumerGroups(settings).describe(name).partitions
    assert [(row.committed, row.client) for row in partitions] == [(0, ""), (7, "")]


def test_a_flow_commits_the_ids_of_cluster_and_topic_with_its_offsets(
    settings: KafkaSettings, topics: Topics, log: KafkaEventLog, name: str
) -> None:
    topics.create(name, 1)
    identity = log.identity([name])
    for committing in (log, KafkaEventLog(settings)):
        committing.commit_offsets(name, {FlowPartition(name, 0): 0})
        with committed_offsets._CONSUMERS.client((settings, name), lambda: new_consumer(settings, name)) as consumer:  # noqa: SLF001
            (found,) = consumer.committed([TopicPartition(name, 0)])
        assert found.metadata == f"cluster.id={identity.cluster} topic.id={identity.topics[name]}"


def test_the_offsets_of_a_deleted_topic_are_not_committed_and_logged(
    log: KafkaEventLog, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    log.commit_offsets(name, {FlowPartition(name, 0): 0})
    assert f"the lag of group '{name}' is out of date: topic '{name}' is unknown" in caplog.text


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
    monkeypatch.setattr(committed_offsets, "new_consumer", lambda *_args, **_options: UnauthorizedConsumer())
    monkeypatch.setattr(committed_offsets, "_CONSUMERS", ClientPool(limit=1, close=lambda _consumer: None))
    return KafkaSettings({"bootstrap.servers": "127.0.0.1:1"})


def test_a_commit_that_fails_for_one_partition_is_an_error(unauthorized: KafkaSettings) -> None:
    with pytest.raises(AuthorizationError, match="topic 't', partition 1: Broker: Topic authorization failed"):
        commit_group_offsets(unauthorized, "g", {("t", 0): 5, ("t", 1): 5})


def test_an_offset_that_cannot_be_read_is_an_error_and_not_a_missing_offset(unauthorized: KafkaSettings) -> None:
    with pytest.raises(AuthorizationError, match="topic 't', partition 1: Broker: Topic authorization failed"):
        group_offsets(unauthorized, "g", [("t", 0), ("t", 1)])
