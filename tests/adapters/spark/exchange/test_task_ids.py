"""The integers of tasks spread them over Spark's partitions, with the hash that Spark uses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.spark.exchange.task_ids import TaskIds, spark_partition


@pytest.mark.parametrize(("value", "hashed"), [(0, 933211791), (1, -559580957), (42, 29417773)])
def test_the_hash_is_sparks(value: int, hashed: int) -> None:
    assert spark_partition(value, 1 << 31) == hashed % (1 << 31)


@given(st.lists(st.integers(0, 60), min_size=1), st.integers(1, 9))
def test_the_integer_of_a_task_is_in_its_partition_and_is_converted_back(tasks: list[int], partitions: int) -> None:
    sender, receiver = TaskIds(partitions), TaskIds(partitions)
    for task in tasks:
        group = sender.group(task)
        assert spark_partition(group, partitions) == task % partitions
        assert receiver.task(group) == task
