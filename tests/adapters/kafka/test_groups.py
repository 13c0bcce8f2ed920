import time
from collections.abc import Sequence

import pytest
from confluent_kafka import Producer

from eddyline.adapters.kafka.errors import GroupActiveError, GroupError
from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.groups.committed_offsets import commit_group_offsets, group_offsets
from eddyline.adapters.kafka.groups.offset_reset import OffsetChange, OffsetReset, ResetScenario, ResetTarget
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from tests.adapters.kafka.conftest import Join, eventually


@pytest.fixture
def groups(settings: KafkaSettings) -> ConsumerGroups:
    return ConsumerGroups(settings)


@pytest.fixture
def offset_reset(settings: KafkaSettings) -> OffsetReset:
    return OffsetReset(settings)


@pytest.fixture
def group(settings: KafkaSettings, topics: Topics, name: str) -> str:
    """A group with the offsets 5 and 0 in the two partitions of the topic with the same name.

    Partition 0 has ten records, one second apart, of which the first two are deleted; partition 1 is empty.
    """
    topics.create(name, 2)
    producer = Producer(settings.producer())
    for number in range(10):
        producer.produce(name, b"v", partition=0, timestamp=1_000 * number + 1)
    producer.flush()
    topics.delete_records(name, {0: 2})
    commit_group_offsets(settings, name, {(name, 0): 5, (name, 1): 0})
    return name


def test_a_group_is_listed_and_described_with_its_lag(groups: ConsumerGroups, group: str) -> None:
    assert group in [found.name for found in groups.list()]
    description = groups.describe(group)
    assert (description.name, description.state, description.members) == (group, "EMPTY", 0)
    rows = [(row.partition, row.committed, row.end, row.lag) for row in description.partitions]
    assert rows == [(0, 5, 10, 5), (1, 0, 0, 0)]


def test_an_unknown_group_is_an_error_with_the_existing_groups(groups: ConsumerGroups, group: str) -> None:
    with pytest.raises(GroupError, match=f"group '{group}x' is unknown; Kafka has: .*{group}"):
        groups.describe(f"{group}x")


def _rows(changes: Sequence[OffsetChange]) -> list[tuple[int, int | None, int]]:
    return [(change.partition, change.before, change.after) for change in changes]


@pytest.mark.parametrize(
    ("target", "after"),
    [
        (ResetTarget(ResetScenario.EARLIEST), [2, 0]),
        (ResetTarget(ResetScenario.LATEST), [10, 0]),
        (ResetTarget(ResetScenario.OFFSET, 7), [7, 0]),
        (ResetTarget(ResetScenario.OFFSET, 0), [2, 0]),
        (ResetTarget(ResetScenario.OFFSET, 99), [10, 0]),
        (ResetTarget(ResetScenario.TIME, 6_500), [7, 0]),
        (ResetTarget(ResetScenario.TIME, 99_000), [10, 0]),
        (ResetTarget(ResetScenario.SHIFT, 2), [7, 0]),
        (ResetTarget(ResetScenario.SHIFT, -1), [4, 0]),
        (ResetTarget(ResetScenario.SHIFT, -99), [2, 0]),
    ],
)
def test_each_scenario_resets_offsets_within_the_range_of_the_partition(
    offset_reset: OffsetReset, settings: KafkaSettings, group: str, target: ResetTarget, after: list[int]
) -> None:
    changes = offset_reset.plan(group, None, target)
    assert _rows(changes) == [(0, 5, after[0]), (1, 0, after[1])]
    partitions = [(group, 0), (group, 1)]
    assert group_offsets(settings, group, partitions) == dict(zip(partitions, [5, 0], strict=True))
    offset_reset.execute(group, changes)
    assert group_offsets(settings, group, partitions) == dict(zip(partitions, after, strict=True))


def test_a_duration_counts_back_from_now(offset_reset: OffsetReset, settings: KafkaSettings, topics: Topics, name: str) -> None:
    topics.create(name, 1)
    producer = Producer(settings.producer())
    now = int(time.time() * 1000)
    for age_ms in (100_000, 50_000, 10_000):
        producer.produce(name, b"v", timestamp=now - age_ms)
    producer.flush()
    changes = offset_reset.plan(name, {name: []}, ResetTarget(ResetScenario.DURATION, 60_000))
    assert _rows(changes) == [(0, None, 1)]


def test_only_the_named_partitions_are_reset(offset_reset: OffsetReset, group: str) -> None:
    assert _rows(offset_reset.plan(group, {group: [0]}, ResetTarget(ResetScenario.EARLIEST))) == [(0, 5, 2)]
    with pytest.raises(GroupError, match=f"topic '{group}' has no partition 5; it has 0 to 1"):
        offset_reset.plan(group, {group: [5]}, ResetTarget(ResetScenario.EARLIEST))


def test_a_reset_gives_a_new_group_its_first_offsets(offset_reset: OffsetReset, settings: KafkaSettings, group: str) -> None:
    new = f"{group}-new"
    with pytest.raises(GroupError, match="has no committed offsets to reset; name the topics"):
        offset_reset.plan(new, None, ResetTarget(ResetScenario.EARLIEST))
    with pytest.raises(GroupError, match=r"no committed offset to shift in topic .*, partition 0; .*--to-earliest"):
        offset_reset.plan(new, {group: []}, ResetTarget(ResetScenario.SHIFT, 1))
    changes = offset_reset.plan(new, {group: []}, ResetTarget(ResetScenario.LATEST))
    assert changes == [OffsetChange(group, 0, None, 10), OffsetChange(group, 1, None, 0)]
    offset_reset.execute(new, changes)
    assert group_offsets(settings, new, [(group, 0)]) == {(group, 0): 10}


def test_the_offsets_of_an_active_group_cannot_be_reset(
    groups: ConsumerGroups, offset_reset: OffsetReset, join: Join, group: str
) -> None:
    member = join(group, "busy-reader")
    assert {row.client for row in groups.describe(group).partitions} == {"busy-reader"}
    changes = offset_reset.plan(group, None, ResetTarget(ResetScenario.EARLIEST))
    with pytest.raises(
        GroupActiveError,
        match=f"group '{group}' is active .* with 1 member: busy-reader at 127.0.0.1. Stop them first",
    ):
        offset_reset.execute(group, changes)
    member.close()
    eventually(lambda: groups.describe(group).state == "EMPTY")
    offset_reset.execute(group, changes)
