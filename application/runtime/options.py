"""The options of a run and the ports that it works on: one value each, passed whole to every engine."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.event_sink import EventSink
from eddyline.application.ports.state_store import StateStores

Emit: TypeAlias = Literal["latest", "every-update"]
"""Which updates of a table are forwarded: the last of each key and batch, or every one."""

Order: TypeAlias = Literal["timestamp", "arrival"]
"""Which of the records that wait in its queues a task takes next: the one with the lowest timestamp, or the first to arrive."""


@dataclass(frozen=True)
class LogClock:
    """A wall clock that the log moves: each record of `topic` sets it to its timestamp. It starts at `start_ms`."""

    topic: str
    start_ms: int = 0


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What a run is asked to do.

    Args:
        application_id: names the state, the consumer group and the internal topics.
        emit: which updates of a table are forwarded.
        order: which waiting record a task takes next.
        max_batch_records: the most records that a batch takes, over all partitions.
        trigger_interval_ms: the time between the starts of two batches in ms; 0 starts the next batch at once.
        new_topic_partitions: the number of partitions of topics that the run creates.
        dead_letter_drops: whether records that an operator drops (late, without a key, …) become dead letters too.
        clock: a topic that moves the wall clock, in place of the machine's clock; needs `order="arrival"`.
        keep_partition: whether each partition is processed by itself: repartitioned records stay in their partition, and
            results are written to the partition of their task.

    Raises:
        ValueError: a `clock` without `order="arrival"`.
    """

    application_id: str
    emit: Emit = "latest"
    order: Order = "timestamp"
    max_batch_records: int = 500_000
    trigger_interval_ms: int = 1_000
    new_topic_partitions: int = 4
    dead_letter_drops: bool = False
    clock: LogClock | None = None
    keep_partition: bool = False

    def __post_init__(self) -> None:
        if self.clock is not None and self.order != "arrival":
            msg = (
                f"the clock topic '{self.clock.topic}' needs order='arrival': only then do its records have a position "
                "among those of the other topics"
            )
            raise ValueError(msg)


@dataclass(frozen=True)
class RunPorts:
    """What a run reads, writes, encodes with and keeps its state in."""

    log: EventLog
    sink: EventSink
    codecs: Codecs
    stores: StateStores
