"""Decoded records by column, as sequences of records that are created only where they are asked for."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, repeat
from typing import Any, NamedTuple, TypeAlias, overload

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.input.record_queue import IncomingRecord, incoming_record, timestamp_of

Row: TypeAlias = tuple[str, int, int, int, Any, Any, Headers, int]
"""The fields of an IncomingRecord."""


class Part(NamedTuple):
    """Some of the records of a chunk: all those of one topic. The positions are those in the chunk, in ascending order."""

    records: RecordColumns
    positions: Sequence[int]


class IncomingColumns(Sequence[IncomingRecord]):
    """Decoded records of one partition by column; the columns must not be changed."""

    __slots__ = ("arrivals", "offsets", "partition", "records", "topic")

    def __init__(
        self, topic: str, partition: int, offsets: Sequence[int], records: RecordColumns, arrivals: Sequence[int]
    ) -> None:
        self.topic, self.partition, self.offsets, self.records, self.arrivals = topic, partition, offsets, records, arrivals

    def rows(self) -> Iterator[Row]:
        """Return the fields of the records, in less time than the records themselves."""
        keys, values, timestamps, headers, _ = self.records
        own = repeat(self.topic), repeat(self.partition)
        return zip(*own, self.offsets, timestamps, keys, values, headers, self.arrivals, strict=False)

    def __len__(self) -> int:
        return len(self.offsets)

    def __iter__(self) -> Iterator[IncomingRecord]:
        return map(incoming_record, self.rows())

    @overload
    def __getitem__(self, index: int) -> IncomingRecord: ...

    @overload
    def __getitem__(self, index: slice) -> "IncomingColumns": ...

    def __getitem__(self, index: int | slice) -> "IncomingRecord | IncomingColumns":
        keys, values, timestamps, headers, _ = self.records
        if isinstance(index, slice):
            columns = RecordColumns(keys[index], values[index], timestamps[index], headers[index])
            return IncomingColumns(self.topic, self.partition, self.offsets[index], columns, self.arrivals[index])
        own = self.topic, self.partition, self.offsets[index], timestamps[index], keys[index], values[index]
        return incoming_record((*own, headers[index], self.arrivals[index]))


class MergedColumns(Sequence[IncomingRecord]):
    """The records of several partitions in an order, which keeps the records of each partition in theirs.

    Args:
        partitions: The records of the partitions.
        order: The numbers of the records in their order, counted through all partitions.
    """

    __slots__ = ("_order", "_partitions")

    def __init__(self, partitions: Sequence[IncomingColumns], order: Sequence[int]) -> None:
        self._partitions, self._order = partitions, order

    def rows(self) -> Iterator[Row]:
        """Return the fields of the records, in less time than the records themselves."""
        rows = list(chain.from_iterable(partition.rows() for partition in self._partitions))
        return map(rows.__getitem__, self._order)

    def by_topic(self) -> dict[str, Part]:
        """Return the records by topic."""
        positions = [0] * len(self._order)
        for position, number in enumerate(self._order):
            positions[number] = position
        found: dict[str, list[Part]] = {}
        ends = accumulate(map(len, self._partitions))
        for partition, end in zip(self._partitions, ends, strict=True):
            found.setdefault(partition.topic, []).append(Part(partition.records, positions[end - len(partition) : end]))
        return {topic: parts[0] if len(parts) == 1 else _in_order(parts) for topic, parts in found.items()}

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[IncomingRecord]:
        return map(incoming_record, self.rows())

    @overload
    def __getitem__(self, index: int) -> IncomingRecord: ...

    @overload
    def __getitem__(self, index: slice) -> list[IncomingRecord]: ...

    def __getitem__(self, index: int | slice) -> IncomingRecord | list[IncomingRecord]:
        if isinstance(index, slice):
            return list(self)[index]
        number = self._order[index]
        for partition in self._partitions:
            if number < len(partition):
                return partition[number]
            number -= len(partition)
        raise IndexError(index)


def rows_of(records: Sequence[IncomingRecord]) -> Iterable[Row]:
    """Return the fields of records."""
    return records.rows() if isinstance(records, (IncomingColumns, MergedColumns)) else records


def orders_of(records: Sequence[IncomingRecord], order_of: Callable[[IncomingRecord], int]) -> Sequence[int]:
    """Return what records are ordered by."""
    if order_of is timestamp_of and isinstance(records, IncomingColumns):
        return records.records.timestamps
    return list(map(order_of, records))


def columns_by_topic(records: Sequence[IncomingRecord]) -> dict[str, Part]:
    """Return at least one record by topic and column."""
    if isinstance(records, MergedColumns):
        return records.by_topic()
    if isinstance(records, IncomingColumns):
        return {records.topic: Part(records.records, range(len(records)))}
    topics, _, _, timestamps, keys, values, headers, _ = zip(*records, strict=True)
    columns = RecordColumns(keys, values, timestamps, headers)
    if topics.count(topics[0]) == len(topics):
        return {topics[0]: Part(columns, range(len(records)))}
    numbers: dict[str, list[int]] = {}
    for number, topic in enumerate(topics):
        numbers.setdefault(topic, []).append(number)
    return {
        topic: Part(RecordColumns(*(list(map(column.__getitem__, positions)) for column in columns[:4])), positions)
        for topic, positions in numbers.items()
    }


def _in_order(parts: Sequence[Part]) -> Part:
    """Return the records of several partitions of one topic in their order."""
    positions = list(chain.from_iterable(part.positions for part in parts))
    order = sorted(range(len(positions)), key=positions.__getitem__)
    fields = zip(*(part.records[:4] for part in parts), strict=True)
    columns = (list(map(list(chain.from_iterable(field)).__getitem__, order)) for field in fields)
    return Part(RecordColumns(*columns), sorted(positions))
