"""A batch has about `max_batch_records` records, from every partition that has any."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_log import Position
from eddyline.application.runtime.input.batch_planner import BatchEnd, first_arrivals, plan_batch, share, task_ranges
from eddyline.application.runtime.input.offsets import end_offsets, records_between, with_new_partitions
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.runtime.plan.options import LogClock
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.topology import TopologyBuilder
from tests.runtime.plans import run_plan

NONE: frozenset[str] = frozenset()


def test_a_batch_of_all_waiting_records_marks_no_partition() -> None:
    assert share({"a": [3, 0]}, {"a": [5, 2]}, 4, NONE) == BatchEnd({"a": [5, 2]}, {})


def test_the_limit_is_divided_in_proportion_and_partitions_with_more_records_are_marked() -> None:
    assert share({"a": [10], "b": [0]}, {"a": [40], "b": [10]}, 20, NONE) == BatchEnd({"a": [25], "b": [5]}, {"a": [0], "b": [0]})


def test_a_partition_with_a_single_record_is_not_starved() -> None:
    assert share({"a": [0, 0]}, {"a": [1_000, 1]}, 10, NONE) == BatchEnd({"a": [10, 1]}, {"a": [0]})


def test_topics_of_global_tables_are_taken_completely() -> None:
    assert share({"a": [0], "g": [0]}, {"a": [4], "g": [50]}, 2, frozenset({"g"})) == BatchEnd({"a": [2], "g": [50]}, {"a": [0]})


@given(st.lists(st.integers(0, 500), min_size=1, max_size=6), st.integers(1, 100))
def test_batches_reach_the_end_and_exceed_the_limit_by_less_than_one_record_per_partition(waiting: list[int], limit: int) -> None:
    position, last = {"t": [0] * len(waiting)}, {"t": waiting}
    batches = 0
    while position != last:
        end = share(position, last, limit, NONE)
        assert 0 < records_between(position, end.offsets) < limit + len(waiting)
        assert end.more.get("t", []) == [n for n, (at, to) in enumerate(zip(end.offsets["t"], waiting, strict=True)) if at < to]
        position = end.offsets
        batches += 1
    assert batches <= sum(waiting) // limit + 1


def test_by_arrival_a_batch_takes_the_records_that_arrived_first() -> None:
    waiting = [(1, Position("a", 0, 7)), (2, Position("b", 1, 0)), (5, Position("a", 0, 9)), (6, Position("b", 1, 1))]
    assert first_arrivals({"a": [7], "b": [0, 0]}, waiting, 3) == {"a": [10], "b": [0, 1]}


def test_new_partitions_start_at_their_beginning_offsets() -> None:
    log = MemoryEventLog()
    log.create_topic("t", 2)
    assert with_new_partitions(log, {"t": [4]}, {"t": [6, 3]}) == {"t": [4, 0]}


def plan_of(log: MemoryEventLog, **options: Any) -> RunPlan:
    builder = TopologyBuilder()
    names = builder.global_table("names", key=str, value=str)
    left, right = builder.stream("left", key=str, value=str), builder.stream("right", key=str, value=str)
    left.merge(right).join(names, lambda value, name: f"{value} {name}", key_selector=lambda key, _value: key).to("out")
    return run_plan(builder.build(), log, **{"max_batch_records": 2, **options})


@pytest.fixture
def log() -> MemoryEventLog:
    log = MemoryEventLog()
    for topic, partitions in (("names", 2), ("left", 2), ("right", 1), ("ticks", 2)):
        log.create_topic(topic, partitions)
    return log


def test_a_task_reads_its_partition_of_each_topic_and_all_partitions_of_global_tables(log: MemoryEventLog) -> None:
    for arrival, (topic, partition) in enumerate(
        [("left", 0), ("left", 1), ("left", 1), ("left", 1), ("names", 1), ("right", 0)]
    ):
        log.append(topic, b"k", b"v", 0, partition=partition, arrival=arrival)
    plan, topics = plan_of(log), ["names", "left", "right"]
    start, last = {topic: [0] * log.partitions(topic) for topic in topics}, end_offsets(log, topics)
    end = plan_batch(plan, start, last)
    assert list(task_ranges(plan, start, end)) == [
        (
            0,
            0,
            [
                OffsetRange("left", 0, 0, 1),
                OffsetRange("right", 0, 0, 1),
                OffsetRange("names", 0, 0, 0),
                OffsetRange("names", 1, 0, 1),
            ],
        ),
        (0, 1, [OffsetRange("left", 1, 0, 2, more=True), OffsetRange("names", 0, 0, 0), OffsetRange("names", 1, 0, 1)]),
    ]


@pytest.mark.parametrize(("keep_partition", "ticks"), [(False, [(0, 1), (0, 1)]), (True, [(0,), (1,)])])
def test_a_task_reads_all_partitions_of_the_clock_topic_or_with_keep_partition_its_own(
    log: MemoryEventLog, ticks: list[tuple[int, ...]], *, keep_partition: bool
) -> None:
    plan = plan_of(log, clock=LogClock("ticks"), order="arrival", keep_partition=keep_partition)
    ends = end_offsets(log, ["names", "left", "right", "ticks"])
    found = [
        tuple(offsets.partition for offsets in ranges if offsets.topic == "ticks")
        for _, _, ranges in task_ranges(plan, ends, BatchEnd(ends, {}))
    ]
    assert found == ticks


@pytest.mark.parametrize(
    ("max_batch_records", "expected"),
    [
        (2, {"names": [0, 1], "left": [0, 1], "right": [0]}),
        (3, {"names": [0, 1], "left": [0, 1], "right": [1]}),
        (4, {"names": [0, 1], "left": [0, 2], "right": [1]}),
        (9, {"names": [0, 1], "left": [0, 2], "right": [1]}),
    ],
)
def test_by_arrival_a_batch_takes_the_waiting_records_of_all_topics_that_arrived_first(
    log: MemoryEventLog, max_batch_records: int, expected: dict[str, list[int]]
) -> None:
    for topic, partition, arrival in (("left", 1, 0), ("left", 1, 7), ("names", 1, 1), ("right", 0, 5)):
        log.append(topic, b"k", b"v", 0, partition=partition, arrival=arrival)
    plan, topics = plan_of(log, order="arrival", max_batch_records=max_batch_records), ["names", "left", "right"]
    last = end_offsets(log, topics)
    found = plan_batch(plan, {topic: [0] * log.partitions(topic) for topic in topics}, last)
    assert found == BatchEnd(expected, {}, partial=expected != last)
    log.append("left", b"k", b"v", 0, partition=1, arrival=8)
    nothing_waits = plan_batch(plan, last, last)
    assert nothing_waits == BatchEnd(last, {}), "what was appended after the end offsets were read does not count"


def test_tasks_of_a_sub_topology_without_source_topics_read_nothing_from_the_log(log: MemoryEventLog) -> None:
    builder = TopologyBuilder()
    builder.stream("left", key=str, value=str).repartition(name="moved", partitions=3).to("out")
    plan = run_plan(builder.build(), log)
    ends = {"left": [0, 0]}
    found = [(sub, task, len(ranges)) for sub, task, ranges in task_ranges(plan, ends, BatchEnd(ends, {}))]
    assert found == [(0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 1, 0), (1, 2, 0)]


def test_partitions_added_during_a_run_have_tasks(log: MemoryEventLog) -> None:
    plan = plan_of(log)
    ends = {"names": [0, 0], "left": [0, 0, 0, 0], "right": [0]}
    assert [task for _, task, _ in task_ranges(plan, ends, BatchEnd(ends, {}))] == [0, 1, 2, 3]
