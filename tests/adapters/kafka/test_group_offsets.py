import pytest
from confluent_kafka import Consumer

from eddyline.adapters.kafka.errors import BrokerError
from eddyline.adapters.kafka.group_offsets import commit_group_offsets, group_offsets
from eddyline.adapters.kafka.groups import Groups
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from tests.adapters.kafka.conftest import eventually


def test_offsets_of_a_flow_are_seen_by_lag_tools(settings: KafkaSettings, topics: Topics, name: str) -> None:
    topics.create(name, 2)
    commit_group_offsets(settings, name, {(name, 0): 0, (name, 1): 0})
    commit_group_offsets(settings, name, {(name, 1): 7})
    commit_group_offsets(settings, name, {})
    assert group_offsets(settings, name, [(name, 0), (name, 1)]) == {(name, 0): 0, (name, 1): 7}
    assert [(row.committed, row.client) for row in Groups(settings).describe(name).partitions] == [(0, ""), (7, "")]


def test_partitions_without_an_offset_are_left_out(settings: KafkaSettings, topics: Topics, name: str) -> None:
    topics.create(name, 1)
    assert group_offsets(settings, name, [(name, 0)]) == {}


def test_a_group_with_members_refuses(settings: KafkaSettings, topics: Topics, name: str) -> None:
    topics.create(name, 1)
    member = Consumer({**settings.consumer(), "group.id": name})
    member.subscribe([name])

    def has_joined() -> bool:
        member.poll(0.1)
        return bool(member.assignment())

    eventually(has_joined)
    with pytest.raises(BrokerError, match=f"could not commit the offsets of group '{name}'"):
        commit_group_offsets(settings, name, {(name, 0): 0})
    member.close()
