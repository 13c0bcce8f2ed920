"""Tasks are spread over Spark's partitions as Spark's own hash would spread them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.spark.tasks import group_of, partition_of, task_of


@pytest.mark.parametrize(("group", "hashed"), [(0, 933211791), (1, -559580957), (42, 29417773)])
def test_the_hash_is_sparks(group: int, hashed: int) -> None:
    assert partition_of(group, 1 << 31) == hashed % (1 << 31)


@given(st.integers(0, 60), st.integers(1, 9))
def test_a_group_falls_into_the_partition_of_its_task_and_names_it(task: int, partitions: int) -> None:
    group = group_of(task, partitions)
    assert partition_of(group, partitions) == task % partitions
    assert task_of(group, partitions) == task
