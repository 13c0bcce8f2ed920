"""Instances share the partitions of topics as a consumer group."""

from collections.abc import Callable, Iterator

import pytest

from eddyline.adapters.kafka.groups.instances import KafkaInstanceGroup
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import TopicPartition
from tests.adapters.kafka.conftest import eventually

NewInstance = Callable[..., KafkaInstanceGroup]


@pytest.fixture
def new_instance(settings: KafkaSettings, name: str) -> Iterator[NewInstance]:
    started = []

    def start(host: str, *topics: str) -> KafkaInstanceGroup:
        group = KafkaInstanceGroup(settings, f"{name}-queries")
        group.start(host, topics)
        started.append(group)
        return group

    yield start
    for group in started:
        group.close()


def numbers(group: KafkaInstanceGroup, topic: str) -> set[int] | None:
    held = group.held()
    return None if held is None else {found.partition for found in held if found.topic == topic}


def test_partitions_are_shared_and_equal_numbers_stay_together(new_instance: NewInstance, topics: Topics, name: str) -> None:
    first_topic, second_topic = f"{name}-1", f"{name}-2"
    topics.create(first_topic, 4)
    topics.create(second_topic, 4)
    first = new_instance("127.0.0.1:1001", first_topic, second_topic)
    assert first.held() is None
    eventually(lambda: numbers(first, first_topic) == {0, 1, 2, 3})
    second = new_instance("127.0.0.1:1002", first_topic, second_topic)
    eventually(lambda: len(numbers(first, first_topic) or ()) == len(numbers(second, first_topic) or ()) == 2)
    assert numbers(first, first_topic) == numbers(first, second_topic)
    assert (numbers(first, first_topic) or set()) | (numbers(second, first_topic) or set()) == {0, 1, 2, 3}
    eventually(lambda: first.members() == second.members())
    assert first.members() == {"127.0.0.1:1001": first.held(), "127.0.0.1:1002": second.held()}
    second.close()
    eventually(lambda: numbers(first, second_topic) == {0, 1, 2, 3})
    eventually(lambda: set(first.members()) == {"127.0.0.1:1001"})


def test_a_topic_that_is_created_later_is_shared_too(new_instance: NewInstance, topics: Topics, name: str) -> None:
    instance = new_instance("127.0.0.1:1001", name)
    topics.create(name, 2)
    eventually(lambda: instance.held() == {TopicPartition(name, 0), TopicPartition(name, 1)})
