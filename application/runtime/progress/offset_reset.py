"""Positions that the log no longer has, or does not have yet: an error, or a loss that `auto.offset.reset` accepts."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eddyline.application.ports.event_log import OffsetOutOfRangeError, TopicPartition
from eddyline.application.runtime.input.offsets import Bounds, Offsets, partitions_of
from eddyline.application.runtime.input.range_reader import out_of_range
from eddyline.application.runtime.plan.options import AutoOffsetReset


class PositionReset(NamedTuple):
    """A position that was out of range: the next offset to read before and after, and how many offsets were skipped."""

    topic: str
    partition: int
    before: int
    after: int
    skipped: int


def find_resets(start: Offsets, last: Offsets, bounds: Bounds, policy: AutoOffsetReset) -> list[PositionReset]:
    """Return the positions that are out of range, with those at which to continue.

    Args:
        start: The positions.
        last: The offsets to read to, with the same partitions.
        bounds: The beginning and end offsets of the log, of at least these partitions.
        policy: What to do with a position that is out of range.

    Raises:
        OffsetOutOfRangeError: a position is out of range and the policy is `none`, or a topic has fewer partitions than before.
    """
    resets: list[PositionReset] = []
    for partition in partitions_of(last):
        topic, number = partition
        position, target = start[topic][number], last[topic][number]
        beginning, end = bounds[topic][number]
        if beginning <= position <= end:
            continue
        if policy == "none":
            raise out_of_range(partition, position, beginning, end)
        after = target if policy == "latest" else min(beginning, target)
        resets.append(PositionReset(topic, number, position, after, max(0, after - (beginning if position > end else position))))
    return resets


def check_partitions(start: Offsets, last: Offsets) -> None:
    """Make sure that no topic has lost partitions. Raises OffsetOutOfRangeError."""
    for topic, numbers in last.items():
        if len(numbers) < len(start.get(topic, ())):
            raise OffsetOutOfRangeError(
                f"topic '{topic}' has {len(numbers)} partitions, but the flow has read {len(start[topic])}: the topic was"
                " replaced; run 'eddyline reset' for the flow to start from the beginning"
            )


def with_resets(offsets: Offsets, resets: Sequence[PositionReset]) -> Offsets:
    """Return the offsets with the positions that were reset."""
    if not resets:
        return offsets
    changed = {topic: list(numbers) for topic, numbers in offsets.items()}
    for reset in resets:
        changed[reset.topic][reset.partition] = reset.after
    return changed


def shifted(offsets: Offsets, resets: Sequence[PositionReset]) -> Offsets:
    """Return the offsets moved by as much as the positions, so that distances from them stay the same."""
    moved = [
        reset._replace(after=offsets[reset.topic][reset.partition] + reset.after - reset.before)
        for reset in resets
        if reset.partition < len(offsets[reset.topic])
    ]
    return with_resets(offsets, moved)


def skipped_offsets(resets: Sequence[PositionReset]) -> Mapping[TopicPartition, int]:
    """Return how many offsets were skipped, by partition; those of which no offset was skipped are included."""
    return {TopicPartition(reset.topic, reset.partition): reset.skipped for reset in resets}
