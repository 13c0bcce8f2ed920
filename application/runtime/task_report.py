"""What a task reports about batches."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.topology.metrics import MetricValue


class TaskState(NamedTuple):
    """The state of a task after a batch.

    Attributes:
        task: The index of the sub-topology and the partition, such as `0_2`.
        stream_time: The stream time in ms since the epoch, None before the first record.
        entries: The entries of its stores, None if they are not counted.
        size_bytes: The size of the stored state, None if it is not known.
    """

    task: str
    stream_time: int | None
    entries: int | None = None
    size_bytes: int | None = None


class TaskReport(NamedTuple):
    """The counts of a task in one or more batches.

    Attributes:
        records: Records taken from the log.
        dead_letters: Dead letters: records that could not be decoded, that failed, and with `dead_letter_drops` dropped ones.
        drops: Dropped records by node and reason.
        skipped: Offsets that the log has lost, by partition.
        consumed: Records processed by topic, repartition topics included.
        undecodable: Records that could not be decoded by topic.
        processed: Records processed by node; empty unless the run counts them.
        state: The state after the batch, None for a slot, which has none.
        transactions: Slots written by outcome: `committed`, `repeated` if an earlier attempt had written the slot, and the
            numbers of attempts that failed by cause, `fenced` or `retried`.
        trace_contexts: Trace contexts of records, if they are collected.
        late_windows: Closed windows for which records were late by node; a record may be late for several.
        metrics: What the metrics of processors have counted, by node and name.
        times: When the task or slot began and ended, in ms since the epoch, None if it is not measured.
    """

    records: int
    dead_letters: int
    drops: Counter[tuple[str, str]]
    skipped: Mapping[TopicPartition, int] = MappingProxyType({})
    consumed: Mapping[str, int] = MappingProxyType({})
    undecodable: Mapping[str, int] = MappingProxyType({})
    processed: Mapping[str, int] = MappingProxyType({})
    state: TaskState | None = None
    transactions: Mapping[str, int] = MappingProxyType({})
    trace_contexts: Sequence[str] = ()
    late_windows: Mapping[str, int] = MappingProxyType({})
    metrics: Mapping[tuple[str, str], MetricValue] = MappingProxyType({})
    times: tuple[int, int] | None = None
