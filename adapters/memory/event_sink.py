"""An event sink that writes into a memory event log, where the records are visible at once."""

from collections.abc import Sequence
from threading import RLock

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.runtime.plan.partitioner import spread

_WRITING = RLock()
"""The records that a batch has in a partition follow each other; a lock of a log would keep it from being pickled."""


class MemoryEventSink(EventSink):
    """Appends batches to `log`, which also keeps the last batch number of each writer and slot."""

    def __init__(self, log: MemoryEventLog) -> None:
        self.log = log

    def create_topic(self, topic: str, partitions: int, *, compacted: bool = False) -> None:
        del compacted  # all records are kept
        self.log.create_topic(topic, partitions)

    def newest_batch(self, writer: str) -> int | None:
        return max((batch for (name, _), batch in self.log.last_batches.items() if name == writer), default=None)

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        with _WRITING:
            last = self.log.last_batches.get((writer, slot))
            if last is not None and last >= batch:
                return False
            for (topic, partition), rows in spread(records, self.log.partitions, turn=slot + batch).items():
                for row in rows:
                    self.log.append(topic, row.key, row.value, row.timestamp, row.headers, partition=partition)
            self.log.last_batches[writer, slot] = batch
            return True
