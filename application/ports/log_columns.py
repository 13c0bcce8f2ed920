"""Records of the log by column, which takes less time than a tuple for each record."""

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Any, overload

from eddyline.application.ports.event_log import Headers, LogRecord, log_record


class LogColumns(Sequence[LogRecord]):
    """Valid records of one partition, without arrival numbers, by column; the columns must not be changed.

    A record is created only where it is asked for.
    """

    __slots__ = ("headers", "keys", "offsets", "partition", "timestamps", "topic", "values")

    def __init__(
        self,
        topic: str,
        partition: int,
        offsets: Sequence[int],
        timestamps: Sequence[int],
        keys: Sequence[bytes | None],
        values: Sequence[bytes | None],
        headers: Sequence[Headers],
    ) -> None:
        self.topic, self.partition, self.offsets, self.timestamps = topic, partition, offsets, timestamps
        self.keys, self.values, self.headers = keys, values, headers

    def __len__(self) -> int:
        return len(self.offsets)

    def __iter__(self) -> Iterator[LogRecord]:
        own = repeat(self.topic), repeat(self.partition), self.offsets, self.timestamps, self.keys, self.values, self.headers
        return map(log_record, zip(*own, repeat(None), repeat(None), strict=False))

    @overload
    def __getitem__(self, index: int) -> LogRecord: ...

    @overload
    def __getitem__(self, index: slice) -> "LogColumns": ...

    def __getitem__(self, index: int | slice) -> "LogRecord | LogColumns":
        own, offset, timestamp = (self.topic, self.partition), self.offsets[index], self.timestamps[index]
        fields: Any = (offset, timestamp, self.keys[index], self.values[index], self.headers[index])
        return LogColumns(*own, *fields) if isinstance(index, slice) else LogRecord(*own, *fields)


def joined(parts: Sequence[Sequence[LogRecord]]) -> Sequence[LogRecord]:
    """Return records of one partition, at least one part of them, as one sequence: by column if all parts are."""
    if len(parts) == 1:
        return parts[0]
    columns = [part for part in parts if isinstance(part, LogColumns)]
    if len(columns) < len(parts):
        return list(chain.from_iterable(parts))
    fields: Any = zip(*((part.offsets, part.timestamps, part.keys, part.values, part.headers) for part in columns), strict=True)
    return LogColumns(columns[0].topic, columns[0].partition, *(list(chain.from_iterable(field)) for field in fields))
