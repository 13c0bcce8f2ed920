"""The results of a task, kept until it writes them at the end of a batch."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, overload

from eddyline.adapters.spark.exchange.blobs import size_of
from eddyline.adapters.spark.exchange.columns import Columns, count_by_topic, unpack_columns
from eddyline.application.ports.event_sink import RecordsByColumn, Results, SinkRecord

_MOST_UNPACKED_BYTES: Final = 192 << 20
_BYTES_OF_RESULT: Final = 100
"""The memory that a result takes beside the bytes of its key and value."""


class TaskResults(RecordsByColumn):
    """Results in the order in which the task sent them, and changelog records after them.

    The first ones are kept as they are, others packed and compressed: a batch may have millions. They are unpacked during each
    iteration.
    """

    def __init__(self) -> None:
        self._portions: list[Columns | Results | bytes] = []
        self._changes: list[SinkRecord] = []
        self._length = self._unpacked_bytes = 0

    def add(self, results: Columns | Results) -> None:
        """Add results, which must not be changed afterwards."""
        count = len(results.keys)
        self._length += count
        if self._unpacked_bytes < _MOST_UNPACKED_BYTES:
            self._unpacked_bytes += count * _BYTES_OF_RESULT + size_of(results.keys) + size_of(results.values)
            self._portions.append(results)
        else:
            self._portions.append(_columns_of(results).pack())

    def add_changes(self, records: Iterable[SinkRecord]) -> None:
        """Add records of changelogs."""
        self._changes += records

    def count_by_topic(self) -> Mapping[str, int]:
        """Return the number of results of each topic, without those of changelogs."""
        counts: Counter[str] = Counter()
        for portion in self._portions:
            if isinstance(portion, Results):
                counts[portion.topic] += len(portion.keys)
            else:
                counts.update(count_by_topic(portion) if isinstance(portion, bytes) else portion.topics)
        return counts

    def __len__(self) -> int:
        return self._length + len(self._changes)

    def __iter__(self) -> Iterator[SinkRecord]:
        return chain.from_iterable(results.records() for results in self.by_column())

    def by_column(self) -> Iterator[Results]:
        """Yield the results by column, then the records of changelogs."""
        for portion in self._portions:
            if isinstance(portion, Results):
                yield portion
            else:
                yield from _columns_of(portion).results()
        changes = Columns()
        for record in self._changes:
            changes.add(*record)
        yield from changes.results()

    @overload
    def __getitem__(self, index: int) -> SinkRecord: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[SinkRecord]: ...

    def __getitem__(self, index: int | slice) -> SinkRecord | Sequence[SinkRecord]:
        return list(self)[index]


def _columns_of(portion: Columns | Results | bytes) -> Columns:
    if isinstance(portion, Columns):
        return portion
    if isinstance(portion, bytes):
        return unpack_columns(portion)
    columns = Columns()
    columns.add_all(portion, 0)
    return columns
