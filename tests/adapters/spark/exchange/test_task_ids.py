"""The integers of tasks spread them over Spark's partitions, with the hash that Spark uses."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.spark.exchange.task_ids import TaskIds, spark_partition


@pytest.mark.parametrize(("value", "hashed"), [(0, 933211791), (1, -559580957), (42, 29417773)])
def test_the_hash_is_sparks(value: int, hashed: int) -> None:
    assert spark_partition(value, 1 << 31) == hashed % (1 << 31)
    assert spark_partition(value, 1_000_003) == hashed % 1_000_003


@pytest.mark.parametrize(
    ("partitions", "groups"),
    [
        (1, [0, 1, 2, 3, 4, 5, 6]),
        (2, [2, 0, 4, 1, 5, 3, 10]),
        (3, [0, 1, 11, 2, 6, 12, 3]),
        (4, [12, 6, 2, 0, 13, 9, 4]),
    ],
)
def test_the_integers_of_tasks_never_change_since_state_is_stored_under_them(partitions: int, groups: list[int]) -> None:
    ids = TaskIds(partitions)
    assert [ids.group(task) for task in range(7)] == groups


@given(st.lists(st.integers(0, 60), min_size=1), st.integers(1, 9))
def test_the_integer_of_a_task_is_in_its_partition_and_is_converted_back(tasks: list[int], partitions: int) -> None:
    sender, receiver = TaskIds(partitions), TaskIds(partitions)
    for task in tasks:
        group = sender.group(task)
        assert sender.partition(task) == spark_partition(group, partitions) == task % partitions
        assert receiver.task(group) == task


@given(st.integers(1, 5), st.data())
def test_an_assigned_task_is_in_its_partition_and_others_by_their_numbers(partitions: int, data: st.DataObject) -> None:
    assigned = data.draw(st.lists(st.integers(0, partitions - 1), max_size=8))
    sender, receiver = TaskIds(partitions, assigned), pickle.loads(pickle.dumps(TaskIds(partitions, assigned)))
    groups = [sender.group(task) for task in range(12)]
    expected = [*assigned, *(task % partitions for task in range(len(assigned), 12))]
    assert [spark_partition(group, partitions) for group in groups] == [sender.partition(task) for task in range(12)] == expected
    assert [receiver.task(group) for group in groups] == list(range(12))
