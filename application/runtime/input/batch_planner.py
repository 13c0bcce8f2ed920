"""Plans batches: the end offset of each partition, and the offset ranges that each task reads."""

from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import merge
from typing import NamedTuple

from eddyline.application.ports.event_log import Position, TopicPartition
from eddyline.application.runtime.input.offsets import Offsets, arrivals, ends_of, partitions_of, records_between
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.runtime.plan.run_plan import RunPlan


class BatchEnd(NamedTuple):
    """The end of a batch.

    Attributes:
        offsets: The end offsets.
        more: By topic, the partitions in which the log holds more records; none if they are taken in the order of arrival.
        partial: Whether the log holds more records, which are taken in the order of arrival.
    """

    offsets: dict[str, list[int]]
    more: dict[str, list[int]]
    partial: bool = False


def plan_batch(plan: RunPlan, start: Offsets, last: Offsets, limit: int | None = None) -> BatchEnd:
    """Return the end of the next batch.

    Args:
        plan: The plan of the run.
        start: Where the batch begins.
        last: The end offsets of the log.
        limit: The approximate maximum number of records; by default `batch_records` of the options.
    """
    if limit is None:
        limit = plan.options.batch_records
    if plan.options.order == "timestamp":
        end = share(start, last, limit, plan.global_topics)
        return end if plan.options.max_task_idle_ms >= 0 else end._replace(more={})
    if records_between(start, last) <= limit:
        return BatchEnd({topic: list(numbers) for topic, numbers in last.items()}, {})
    waiting = (arrivals(plan.ports.log, partition, start, last) for partition in partitions_of(last))
    return BatchEnd(first_arrivals(start, merge(*waiting), limit), {}, partial=True)


def share(start: Offsets, end: Offsets, limit: int, unlimited: frozenset[str]) -> BatchEnd:
    """Return the end of a batch of about `limit` records.

    Each partition contributes in proportion to its waiting records, at least one record if it has any. The `unlimited` topics,
    those of global tables, are taken completely and do not count.
    """
    waiting = {
        partition: end[partition.topic][partition.partition] - start[partition.topic][partition.partition]
        for partition in partitions_of(end)
        if partition.topic not in unlimited
    }
    total = sum(waiting.values())
    offsets = {topic: list(numbers) for topic, numbers in end.items()}
    more: dict[str, list[int]] = {}
    if total <= limit:
        return BatchEnd(offsets, more)
    for (topic, number), count in waiting.items():
        taken = -(-limit * count // total)
        if taken < count:
            offsets[topic][number] = start[topic][number] + taken
            more.setdefault(topic, []).append(number)
    return BatchEnd(offsets, more)


def first_arrivals(start: Offsets, arrivals: Iterable[tuple[int, Position]], limit: int) -> dict[str, list[int]]:
    """Return the end of a batch of the first `limit` records by arrival.

    `arrivals` yields the arrival number and the position of each waiting record, in the order of arrival.
    """
    offsets = {topic: list(numbers) for topic, numbers in start.items()}
    for taken, (_, (topic, number, offset)) in enumerate(arrivals, 1):
        offsets[topic][number] = offset + 1
        if taken == limit:
            break
    return offsets


def task_ranges(plan: RunPlan, start: Offsets, end: BatchEnd) -> Iterator[tuple[int, int, list[OffsetRange]]]:
    """Yield for each task the index of its sub-topology, its partition, and the offset ranges that it reads in a batch.

    A task reads its partition of each source topic, and all partitions of the topics of global tables and of the clock topic.
    If a topic was given more partitions during the run, there are more tasks than in the plan.
    """
    for sub in plan.topology.sub_topologies:
        topics = list(_matched(plan, plan.source_topics(sub.index), end.offsets))
        own = [topic for topic in topics if topic not in plan.global_topics]
        shared = [topic for topic in topics if topic in plan.global_topics]
        if plan.clock_topic is not None:
            (own if plan.options.keep_partition else shared).append(plan.clock_topic)
        for task in range(task_count(plan, sub.index, end.offsets)):
            partitions = [TopicPartition(topic, task) for topic in own if task < len(end.offsets[topic])]
            partitions += partitions_of({topic: end.offsets[topic] for topic in shared})
            yield sub.index, task, [_range(partition, start, end) for partition in partitions]


def records_by_task(plan: RunPlan) -> list[int]:
    """Return the number of records that the log has for each task number, over all sub-topologies."""
    bounds = plan.ports.log.topic_bounds(plan.read_topics())
    beginning = {topic: [begin for begin, _ in numbers] for topic, numbers in bounds.items()}
    found, shared = Counter[int](), {*plan.global_topics, plan.clock_topic}
    for _, task, ranges in task_ranges(plan, beginning, BatchEnd(ends_of(bounds), {})):
        found[task] += sum(part.end - part.start for part in ranges if part.topic not in shared)
    return [found[task] for task in range(max(plan.tasks))]


def task_count(plan: RunPlan, sub_topology: int, offsets: Offsets) -> int:
    """Return the number of tasks of a sub-topology in a batch that ends at these offsets: not less than in the plan."""
    topics = _matched(plan, plan.source_topics(sub_topology), offsets)
    counts = (len(offsets[topic]) for topic in topics if topic not in plan.global_topics and topic != plan.clock_topic)
    return max(plan.tasks[sub_topology], *counts, 0)


def _matched(plan: RunPlan, topics: Iterable[str], offsets: Offsets) -> Iterator[str]:
    """Yield the topics, with those that have offsets and match a pattern in place of the pattern."""
    patterns = plan.topology.source_patterns
    for topic in topics:
        if topic in patterns:
            yield from plan.topology.matching_topics(found for found in offsets if patterns[topic].fullmatch(found))
        else:
            yield topic


def _range(partition: TopicPartition, start: Offsets, end: BatchEnd) -> OffsetRange:
    topic, number = partition
    return OffsetRange(topic, number, start[topic][number], end.offsets[topic][number], number in end.more.get(topic, ()))
