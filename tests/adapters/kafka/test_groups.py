import time

import pytest
from confluent_kafka import Consumer, Producer

from eddyline.adapters.kafka.errors import GroupActiveError, GroupError
from eddyline.adapters.kafka.group_offsets import commit_group_offsets, group_offsets
from eddyline.adapters.kafka.groups import Aim, Groups, OffsetMove, Target
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from tests.adapters.kafka.conftest import eventually


@pytest.fixture
def groups(settings: KafkaSettings) -> Groups:
    return Groups(settings)


@pytest.fixture
def read_topic(settings: KafkaSettings, topics: Topics, name: str) -> str:
    """Partition 0 holds ten records, a second apart, less the first two; partition 1 none; the group is at 5 and 0."""
    topics.create(name, 2)
    producer = Producer(settings.producer())
    for number in range(10):
        producer.produce(name, b"v", partition=0, timestamp=1_000 * number + 1)
    producer.flush()
    topics.delete_records(name, {0: 2})
    commit_group_offsets(settings, name, {(name, 0): 5, (name, 1): 0})
    return name


def test_a_group_is_listed_and_described_with_its_lag(groups: Groups, read_topic: str) -> None:
    assert read_topic in [group.name for group in groups.list()]
    progress = groups.describe(read_topic)
    assert (progress.name, progress.state, progress.members) == (read_topic, "EMPTY", 0)
    assert [(row.partition, row.committed, row.end, row.lag) for row in progress.partitions] == [(0, 5, 10, 5), (1, 0, 0, 0)]


def test_an_unknown_group_is_named_with_those_there_are(groups: Groups, read_topic: str) -> None:
    with pytest.raises(GroupError, match=f"group '{read_topic}x' is unknown; Kafka has: .*{read_topic}"):
        groups.describe(f"{read_topic}x")


def _shown(moves: object) -> list[tuple[int, int | None, int]]:
    return [(move.partition, move.before, move.after) for move in moves]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("target", "after"),
    [
        (Target(Aim.EARLIEST), [2, 0]),
        (Target(Aim.LATEST), [10, 0]),
        (Target(Aim.OFFSET, 7), [7, 0]),
        (Target(Aim.OFFSET, 0), [2, 0]),
        (Target(Aim.OFFSET, 99), [10, 0]),
        (Target(Aim.TIME, 6_500), [7, 0]),
        (Target(Aim.TIME, 99_000), [10, 0]),
        (Target(Aim.SHIFT, 2), [7, 0]),
        (Target(Aim.SHIFT, -1), [4, 0]),
        (Target(Aim.SHIFT, -99), [2, 0]),
    ],
)
def test_each_aim_moves_offsets_within_what_the_partition_holds(
    groups: Groups, settings: KafkaSettings, read_topic: str, target: Target, after: list[int]
) -> None:
    moves = groups.plan_reset(read_topic, None, target)
    assert _shown(moves) == [(0, 5, after[0]), (1, 0, after[1])]
    places = [(read_topic, 0), (read_topic, 1)]
    assert group_offsets(settings, read_topic, places) == dict(zip(places, [5, 0], strict=True))
    groups.execute(read_topic, moves)
    assert group_offsets(settings, read_topic, places) == dict(zip(places, after, strict=True))


def test_a_duration_counts_back_from_now(groups: Groups, settings: KafkaSettings, topics: Topics, name: str) -> None:
    topics.create(name, 1)
    producer = Producer(settings.producer())
    now = int(time.time() * 1000)
    for age_ms in (100_000, 50_000, 10_000):
        producer.produce(name, b"v", timestamp=now - age_ms)
    producer.flush()
    assert _shown(groups.plan_reset(name, {name: []}, Target(Aim.DURATION, 60_000))) == [(0, None, 1)]


def test_only_the_named_partitions_are_moved(groups: Groups, read_topic: str) -> None:
    assert _shown(groups.plan_reset(read_topic, {read_topic: [0]}, Target(Aim.EARLIEST))) == [(0, 5, 2)]
    with pytest.raises(GroupError, match=f"topic '{read_topic}' has no partition 5; it has 0 to 1"):
        groups.plan_reset(read_topic, {read_topic: [5]}, Target(Aim.EARLIEST))


def test_a_new_group_gets_its_first_offsets_by_a_reset(groups: Groups, settings: KafkaSettings, read_topic: str) -> None:
    new = f"{read_topic}-new"
    with pytest.raises(GroupError, match="has no offsets that could be moved; name the topics"):
        groups.plan_reset(new, None, Target(Aim.EARLIEST))
    with pytest.raises(GroupError, match=r"no offset in topic .* partition 0, that could be shifted.*--to-earliest"):
        groups.plan_reset(new, {read_topic: []}, Target(Aim.SHIFT, 1))
    moves = groups.plan_reset(new, {read_topic: []}, Target(Aim.LATEST))
    assert moves == [OffsetMove(read_topic, 0, None, 10), OffsetMove(read_topic, 1, None, 0)]
    groups.execute(new, moves)
    assert group_offsets(settings, new, [(read_topic, 0)]) == {(read_topic, 0): 10}


def test_an_active_group_is_refused_with_its_members(groups: Groups, settings: KafkaSettings, read_topic: str) -> None:
    member = Consumer({**settings.consumer(), "group.id": read_topic, "client.id": "busy-reader"})
    member.subscribe([read_topic])

    def has_joined() -> bool:
        member.poll(0.1)
        return bool(member.assignment())

    eventually(has_joined)
    assert {row.client for row in groups.describe(read_topic).partitions} == {"busy-reader"}
    moves = groups.plan_reset(read_topic, None, Target(Aim.EARLIEST))
    with pytest.raises(GroupActiveError, match=f"group '{read_topic}' is active .*busy-reader at 127.0.0.1. Stop them first"):
        groups.execute(read_topic, moves)
    member.close()
    eventually(lambda: groups.describe(read_topic).state == "EMPTY")
    groups.execute(read_topic, moves)
