"""What only Kafka has: consumer groups, topics of the sink itself, and topics that are only compacted."""

import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import ConfigResource
from confluent_kafka.admin._resource import ResourceType

from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.groups.committed_offsets import commit_group_offsets
from eddyline.adapters.kafka.resettable_state import KafkaResettableState
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, Artifact
from tests.adapters.kafka.conftest import Join, Read, Values, Write


def remove_all(state: KafkaResettableState, application: Application) -> list[Artifact]:
    found = list(state.find(application))
    for artifact in found:
        state.remove(application, artifact)
    return found


def test_groups_and_internal_topics_are_removed_and_the_source_topic_stays(
    settings: KafkaSettings, topics: Topics, name: str, write: Write, values: Values
) -> None:
    source, out, writer = f"{name}-source", f"{name}-out", f"{name}-0a1b2c3d"
    for topic in (source, out):
        topics.create(topic, 1)
    write(source, [b"a", b"b"])
    commit_group_offsets(settings, name, {(source, 0): 2})
    sink = KafkaEventSink(settings)
    sink.write(writer, 0, 0, [SinkRecord(out, b"k", b"v", 1)])
    assert sink.last_batch(writer, 0) == 0, "last_batch waits until the transaction is complete"
    sink.close()
    state, application = KafkaResettableState(settings), Application(name)
    assert remove_all(state, application) == [
        Artifact("offsets of a group", name, "1 offset"),
        Artifact("offsets of a group", f"{writer}-batches", "1 offset"),
        Artifact("internal topic", f"{writer}-batches", "4 partitions"),
    ]
    assert state.find(application) == []
    groups = [group.name for group in ConsumerGroups(settings).list()]
    assert not {name, f"{writer}-batches"} & set(groups)
    assert f"{writer}-batches" not in topics.names()
    assert values(source) == [b"a", b"b"]
    assert values(out) == [b"v"]


def test_the_state_of_an_active_group_cannot_be_removed(
    settings: KafkaSettings, topics: Topics, name: str, write: Write, join: Join
) -> None:
    topics.create(name, 1)
    write(name, [b"v"])
    join(name)
    with (
        pytest.raises(ApplicationRunningError, match=rf"'{name}' is running: group .* is active .* busy .*Stop them first"),
        KafkaResettableState(settings).locked(Application(name)),
    ):
        pytest.fail("the group is active")


def test_a_topic_that_is_only_compacted_is_recreated_with_its_settings(
    settings: KafkaSettings, topics: Topics, name: str, write: Write, read: Read
) -> None:
    topics.create(name, 3, config={"cleanup.policy": "compact", "retention.ms": "5000", "min.cleanable.dirty.ratio": "0.9"})
    write(name, [b"v"], key=b"k")
    (artifact,) = remove_all(KafkaResettableState(settings), Application("any", [name]))
    assert artifact == Artifact("records of a topic", name, "1 offset in 3 partitions")
    assert topics.partitions(name) == 3
    assert read(name) == []
    resource = ConfigResource(ResourceType.TOPIC, name)
    admin = AdminClient({**settings.admin()})
    config = admin.describe_configs([resource])[resource].result()
    kept = ("cleanup.policy", "retention.ms", "min.cleanable.dirty.ratio")
    assert [config[entry].value for entry in kept] == ["compact", "5000", "0.9"]
