"""The parts of an answer that several instances give, each about the partitions that it holds, and the whole of them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from eddyline.application.ports.read_model import EntryKey
from eddyline.application.queries.answers import Freshness, IncompleteError, RowPosition
from eddyline.application.queries.cursors import cursor_after


@dataclass(frozen=True)
class AnswerPart:
    """What one instance answers.

    Attributes:
        rows: The rows, in any form.
        positions: The position of each row; they rise.
        partitions: The partitions that the instance holds.
        has_more: Whether there are more rows.
        freshness: How fresh the rows are.
    """

    rows: Sequence[Any]
    positions: Sequence[RowPosition]
    partitions: Sequence[int]
    has_more: bool
    freshness: Freshness


@dataclass(frozen=True)
class WholeAnswer:
    """The first rows of all parts; `cursor` continues after the last one, None if there are no more."""

    rows: Sequence[Any]
    cursor: str | None
    freshness: Freshness


def whole(store: str, partitions: int, parts: Iterable[AnswerPart], limit: int) -> WholeAnswer:
    """Return the parts as one answer, in which each partition occurs once.

    Args:
        store: The name of the store.
        partitions: The number of its partitions.
        parts: The parts, each with at most `limit` rows.
        limit: The greatest number of rows.

    Raises:
        IncompleteError: the parts have some partitions not at all, or twice.
    """
    found = [part for part in parts if part.partitions]
    held = Counter(partition for part in found for partition in part.partitions)
    missing = [str(partition) for partition in range(partitions) if not held[partition]]
    if missing:
        raise IncompleteError(
            f"no instance holds partition {', '.join(missing)} of store '{store}' at the moment, since an instance has joined or "
            "left; its partitions move to the others within its session timeout, so try again"
        )
    if len(held) < held.total():
        raise IncompleteError(f"partitions of store '{store}' are moving between instances; try again")
    rows = [(position, row) for part in found for position, row in zip(part.positions, part.rows, strict=True)]
    rows.sort(key=lambda pair: pair[0])
    has_more = len(rows) > limit or any(part.has_more for part in found)
    rows = rows[:limit]
    cursor = None
    if has_more:
        last = rows[-1][0]
        cursor = cursor_after(store, EntryKey(last.sort_key, last.start, last.end), last.partition)
    freshness = combined_freshness([part.freshness for part in found])
    return WholeAnswer([row for _, row in rows], cursor, freshness)


def combined_freshness(parts: Sequence[Freshness]) -> Freshness:
    """Return how fresh an answer is whose parts are as fresh as these: as the part that is farthest behind.

    The ends of the source topics are those that the part with the latest ones has seen: its lag and its offsets together.
    """
    batches = [part.batch for part in parts]
    batch_times = [part.batch_time for part in parts]
    stream_times = [part.stream_time for part in parts if part.stream_time is not None]
    offsets = _least_offsets([part.offsets for part in parts])
    ends = max(part.lag + _total(part.offsets) for part in parts)
    return Freshness(
        batch=None if None in batches else min(batch for batch in batches if batch is not None),
        batch_time=None if None in batch_times else min(time for time in batch_times if time is not None),
        stream_time=max(stream_times, default=None),
        offsets=offsets,
        lag=max(ends - _total(offsets), 0),
        restoring=any(part.restoring for part in parts),
    )


def _least_offsets(parts: Sequence[Mapping[str, Sequence[int]]]) -> dict[str, list[int]]:
    topics = dict.fromkeys(topic for offsets in parts for topic in offsets)
    return {
        topic: [min(numbers) for numbers in zip_longest(*(offsets.get(topic, ()) for offsets in parts), fillvalue=0)]
        for topic in topics
    }


def _total(offsets: Mapping[str, Sequence[int]]) -> int:
    return sum(sum(numbers) for numbers in offsets.values())
