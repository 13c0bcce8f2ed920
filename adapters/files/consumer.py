"""Reads a topic in files from a starting point and follows it."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.application.ports.event_log import LogRecord

_POLL_S = 0.2
_NUMBER = 1
"""The number of the only consumer."""


class FileConsumer:
    """A consumer of all partitions of a topic, which runs until `stop` is called.

    Args:
        root: The folder of the topics.
        topic: The topic.
        start: Where to start: `committed` or `beginning` (the same without a group), `end`, `offset` or `time`, with the offset
            or the time in ms since the epoch.
        max_batch_records: The most records for one call of `on_batch`.
        until_end: Whether to stop when every partition was read to its end.
    """

    def __init__(self, root: Path, topic: str, *, start: tuple[str, int], max_batch_records: int, until_end: bool) -> None:
        self._log, self._topic = FileEventLog(root), topic
        self._start, self._max_batch_records, self._until_end = start, max_batch_records, until_end
        self._stop_requested = False  # no Event: its lock is not safe in a signal handler

    def stop(self) -> None:
        """End the run after the current batch."""
        self._stop_requested = True

    def run(
        self,
        on_batch: Callable[[int, Sequence[LogRecord]], int],
        on_change: Callable[[Mapping[int, Sequence[tuple[str, int]]]], None],
    ) -> None:
        """Consume until `stop` is called or, with `until_end`, the end of all partitions is reached.

        Args:
            on_batch: Processes records.
            on_change: Called with the partitions of the consumer at the start, and after partitions were added.

        Raises:
            UnknownTopicError: the topic does not exist.
        """
        positions: dict[int, int] = {}
        while not self._stop_requested:
            added = range(len(positions), self._log.partitions(self._topic))
            positions |= {partition: self._first(partition) for partition in added}
            if added:
                on_change({_NUMBER: [(self._topic, partition) for partition in positions]})
            read = sum(self._read(partition, positions, on_batch) for partition in positions)
            if not read and self._until_end:
                return
            if not read and not self._stop_requested:
                time.sleep(_POLL_S)

    def _read(self, partition: int, positions: dict[int, int], on_batch: Callable[[int, Sequence[LogRecord]], int]) -> int:
        """Process the records of a partition up to its end, and return how many offsets they are."""
        begin, end = positions[partition], self._log.end_offset(self._topic, partition)
        for records in self._log.read(self._topic, partition, begin, end):
            for first in range(0, len(records), self._max_batch_records):
                if self._stop_requested:
                    return end - begin
                on_batch(_NUMBER, records[first : first + self._max_batch_records])
        positions[partition] = end
        return end - begin

    def _first(self, partition: int) -> int:
        """Return the offset to start at."""
        kind, number = self._start
        end = self._log.end_offset(self._topic, partition)
        if kind == "end":
            return end
        if kind == "offset":
            return min(number, end)
        if kind == "time":
            batches = self._log.read(self._topic, partition, 0, end)
            return next((one.offset for batch in batches for one in batch if one.timestamp >= number), end)
        return 0
