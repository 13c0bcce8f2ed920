"""Tasks are assigned to Spark partitions by the records that the log has for them."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.engine import assigned_partitions, balanced
from eddyline.application.runtime.plan.options import LogClock
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.topologies import copied
from tests.runtime.plans import run_plan


@pytest.mark.parametrize(
    ("records", "partitions", "assigned"),
    [
        ([32, 25, 24, 19], 2, [0, 1, 1, 0]),
        ([0, 0, 0, 0, 0], 2, [0, 1, 0, 1, 0]),
        ([100, 1, 1, 1], 2, [0, 1, 1, 0]),
        ([1, 2, 3], 3, [2, 1, 0]),
        ([5, 5, 5], 1, [0, 0, 0]),
    ],
)
def test_each_partition_has_about_as_many_records(records: Sequence[int], partitions: int, assigned: Sequence[int]) -> None:
    assert balanced(records, partitions) == assigned


@given(st.lists(st.integers(0, 1_000), min_size=1, max_size=20), st.integers(1, 6))
def test_no_partition_has_more_tasks_than_it_must(records: list[int], partitions: int) -> None:
    assigned = balanced(records, partitions)
    counts = [assigned.count(number) for number in range(partitions)]
    assert len(assigned) == len(records)
    assert max(counts) == -(-len(records) // partitions)


def _log(records: Sequence[int]) -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("lines", len(records))
    for partition, count in enumerate(records):
        for number in range(count):
            log.append("lines", b"k", b"v%d" % number, 5, partition=partition)
    return log


def test_the_records_of_the_log_decide() -> None:
    assert assigned_partitions(run_plan(copied("lines"), _log([3, 2, 2, 1])), 2) == [0, 1, 1, 0]


@pytest.mark.parametrize(("records", "partitions"), [([1, 1, 1, 1], 2), ([9, 1], 2), ([9, 1], 4)])
def test_tasks_that_are_assigned_by_their_numbers_need_no_assignment(records: Sequence[int], partitions: int) -> None:
    assert assigned_partitions(run_plan(copied("lines"), _log(records)), partitions) is None


def _with_global_table() -> Topology:
    builder = TopologyBuilder()
    names = builder.global_table("names", key=str, value=str, store="names")
    lines = builder.stream("lines", key=str, value=str)
    lines.join(names, lambda _line, name: name, key_selector=lambda key, _line: key).to("out")
    return builder.build()


def test_a_clock_topic_is_no_more_work_for_one_task_than_for_another() -> None:
    log = _log([3, 2, 2, 1])
    log.create_topic("ticks", 4)
    for _ in range(20):
        log.append("ticks", b"k", None, 5, partition=3)
    plan = run_plan(copied("lines"), log, clock=LogClock("ticks"), order="arrival", keep_partition=True)
    assert assigned_partitions(plan, 2) == [0, 1, 1, 0]


def test_a_global_table_is_no_more_work_for_one_task_than_for_another() -> None:
    log = _log([3, 2, 2, 1])
    log.create_topic("names", 4)
    for number in range(20):
        log.append("names", b"k", b"v%d" % number, 5, partition=3)
    assert assigned_partitions(run_plan(_with_global_table(), log), 2) == [0, 1, 1, 0]
