"""The results of a task, kept until it writes them at the end of a batch."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, overload

from eddyline.adapters.spark.exchange.columns import Columns, count_by_topic, unpack_columns, unpack_fields
from eddyline.application.ports.event_sink import RecordsByColumn, Results, SinkRecord

_MOST_UNPACKED: Final = 64
_FIELDS: Final = 6


class TaskResults(RecordsByColumn):
    """Results in the order in which the task sent them, and changelog records after them.

    The results of the first full frames are kept as they are, others packed and compressed: a batch may have millions. They are
    unpacked during each iteration.
    """

    def __init__(self) -> None:
        self._frames: list[Columns | bytes] = []
        self._changes: list[SinkRecord] = []
        self._length = 0

    def add(self, results: Columns) -> None:
        """Add results, which must not be changed afterwards."""
        self._length += len(results)
        self._frames.append(results if len(self._frames) < _MOST_UNPACKED else results.pack())

    def add_changes(self, records: Iterable[SinkRecord]) -> None:
        """Add records of changelogs."""
        self._changes += records

    def count_by_topic(self) -> Mapping[str, int]:
        """Return the number of results of each topic, without those of changelogs."""
        counts: Counter[str] = Counter()
        for frame in self._frames:
            counts.update(count_by_topic(frame) if isinstance(frame, bytes) else frame.topics)
        return counts

    def __len__(self) -> int:
        return self._length + len(self._changes)

    def __iter__(self) -> Iterator[SinkRecord]:
        for frame in self._frames:
            fields = unpack_fields(frame) if isinstance(frame, bytes) else frame.fields()
            yield from map(_sink_record, zip(*fields[:_FIELDS], strict=True))
        yield from self._changes

    def by_column(self) -> Iterator[Results]:
        """Yield the results by column, then the records of changelogs."""
        for frame in self._frames:
            yield from (unpack_columns(frame) if isinstance(frame, bytes) else frame).results()
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


_sink_record: Callable[[Iterable[Any]], SinkRecord] = partial(tuple.__new__, SinkRecord)  # twice as fast as the class itself
