"""The input of a task in a batch."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.log_columns import LogColumns
from eddyline.application.runtime.record_queue import OffsetRange


@dataclass
class TaskInput:
    """The input of a task in a batch: offset ranges to read, and the records of repartition topics in parts, by topic and sender.

    The offsets of repartitioned records are ignored. `partial` if the log holds records that follow those of the batch by
    arrival. With `commit=False` the task keeps the latest updates that its tables have cached to a later batch.
    """

    offsets: list[OffsetRange] = field(default_factory=list)
    repartitioned: dict[tuple[str, int], list[Sequence[LogRecord]]] = field(default_factory=dict)
    partial: bool = False
    commit: bool = True

    def receive(self, record: LogRecord, sender: int) -> None:
        """Add a record of a repartition topic after those of the same sender."""
        parts = self.repartitioned.setdefault((record.topic, sender), [])
        if not parts or not isinstance(parts[-1], list):
            parts.append([])
        parts[-1].append(record)  # type: ignore[attr-defined] # it is a list

    def receive_all(self, records: LogColumns, sender: int) -> None:
        """Add many records of a repartition topic likewise."""
        self.repartitioned.setdefault((records.topic, sender), []).append(records)
