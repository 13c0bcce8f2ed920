"""The input of a task in a batch."""

from dataclasses import dataclass, field

from eddyline.application.ports.event_log import LogRecord
from eddyline.application.runtime.record_queue import OffsetRange


@dataclass
class TaskInput:
    """The input of a task in a batch: offset ranges to read, and the records of repartition topics by topic and sender.

    The offsets of repartitioned records are ignored. `partial` if the log holds records that follow those of the batch by
    arrival. With `commit=False` the task keeps the latest updates that its tables have cached to a later batch.
    """

    offsets: list[OffsetRange] = field(default_factory=list)
    repartitioned: dict[tuple[str, int], list[LogRecord]] = field(default_factory=dict)
    partial: bool = False
    commit: bool = True
