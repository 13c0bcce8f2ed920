"""The record queues of a task: filled from its input, batch after batch."""

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter

from eddyline.application.ports.event_log import LogRecord, Position, TopicPartition
from eddyline.application.ports.log_columns import joined
from eddyline.application.runtime.input.batch_decoding import BatchDecoders
from eddyline.application.runtime.input.decoding import TopicDecoders
from eddyline.application.runtime.input.interruption import ONE, ChunkSize
from eddyline.application.runtime.input.partition_group import chunks_in_order, in_order
from eddyline.application.runtime.input.range_reader import RangeReader
from eddyline.application.runtime.input.record_queue import (
    BufferedQueue,
    DecodeAll,
    IncomingRecord,
    LogQueue,
    OffsetRange,
    RecordQueue,
    chunks_of,
)
from eddyline.application.runtime.input.task_input import TaskInput
from eddyline.application.runtime.input.trace_contexts import TraceContexts
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.task.activity import activity_in, as_of_topic, take_activity
from eddyline.application.runtime.task.task import Task


class TaskQueues:
    """Decodes the input of a task, and takes its records in order.

    Args:
        plan: the plan of the run.
        task: the task.
        order_of: returns what a record is ordered by.
        undecodable: called with each record of the log that cannot be decoded, and the error.
        traces: collects the trace contexts of records, None if they are ignored.
        chunk_size: how many records are decoded at once.
        keep_received: whether to keep records as they were received, for dead letters.

    Attributes:
        unread: after a batch, the offset at which to continue in each partition that was read from the log, or None if its whole
            range was processed.
        waiting: records of repartition topics that were left, by topic and sender; they precede those of the next batch.
        records: the number of records of the log that were taken since the last report.
        consumed: the number of records that were taken since then, by topic.
        skipped: the number of offsets that the log had lost and that were skipped since then.
    """

    def __init__(
        self,
        plan: RunPlan,
        task: Task,
        order_of: Callable[[IncomingRecord], int],
        undecodable: Callable[[LogRecord, Exception], None],
        traces: TraceContexts | None,
        chunk_size: ChunkSize,
        *,
        keep_received: bool,
    ) -> None:
        self._plan, self._task, self._undecodable = plan, task, undecodable
        self._keep_received = keep_received
        self._decoders = TopicDecoders(plan)
        self._batch_decoders = BatchDecoders(self._decoders, traces)
        self._order_of = order_of
        self._by_arrival = plan.options.order == "arrival"
        self._chunk_size = ONE if self._by_arrival else chunk_size
        self._reads_log = _reads_log(plan, task)
        self.waiting: dict[tuple[str, int], Sequence[LogRecord]] = {}
        self.begin_report()
        self.begin()

    def begin(self) -> None:
        """Begin a batch."""
        self.unread: dict[TopicPartition, int | None] = {}
        self._read: dict[TopicPartition, deque[Sequence[LogRecord]]] = {}
        self._sent: list[tuple[str, int, Sequence[LogRecord]]] = []
        self._sent_count = 0
        self._rest: Sequence[IncomingRecord] | None = None
        self._buffered: list[tuple[tuple[str, int], Sequence[LogRecord], BufferedQueue]] = []

    def received(self, position: Position) -> LogRecord | None:
        """Return a record as it was received; None if it is not kept, and was read from the log in an earlier chunk or batch.

        Kept are the records of repartition topics in the batch, and those of the log in the last chunk.
        """
        topic, partition, offset = position
        for records in self._read.get(TopicPartition(topic, partition), ()):
            if records[0].offset <= offset <= records[-1].offset:
                record = records[bisect_left(records, offset, key=_offset_of)]
                return record if record.offset == offset else None
        return self.sent(position)

    def sent(self, position: Position) -> LogRecord | None:
        """Return a record of a repartition topic as it was received in this batch, None if it is none."""
        for topic, first, records in self._sent:
            if topic == position.topic and 0 <= position.offset - first < len(records):
                return records[position.offset - first]
        return None

    def interrupt(self, rest: Sequence[IncomingRecord] = ()) -> None:
        """Yield no more chunks of this batch; leave its other records, and the rest of the last chunk, to the next one."""
        self._rest = rest

    def _is_interrupted(self) -> bool:
        return self._rest is not None

    def leave(self, given: TaskInput) -> None:
        """Let the records of repartition topics wait for the next batch."""
        for _, records in take_activity(given):
            for record in records:
                self._task.note_activity(activity_in(record))
        for source, parts in given.repartitioned.items():
            self.waiting[source] = joined([self.waiting[source], *parts] if source in self.waiting else parts)

    def begin_report(self) -> None:
        """Count from zero again."""
        self.records = 0
        self.consumed: Counter[str] = Counter()
        self.skipped: dict[TopicPartition, int] = {}

    def chunks(self, given: TaskInput) -> Iterator[Sequence[IncomingRecord]]:
        """Yield the records of a batch in order: first those of global tables, unless records are taken by arrival."""
        if self._is_interrupted():
            for topic, partition, start, end, _ in given.offsets:
                self.unread[TopicPartition(topic, partition)] = start if start < end else None
            self.leave(given)
            return
        if len(given.offsets) == 1 and not (given.repartitioned or self.waiting or self._by_arrival):
            yield from self._of_range(given.offsets[0])
            return
        for queues in self._queues(given):
            done = 0
            for chunk in () if self._is_interrupted() else self._in_order(queues):
                done += len(chunk)
                yield chunk
                if self._is_interrupted():
                    break
                if self._keep_received:
                    self._release(queues)
            self._note(queues, done - len(self._rest or ()))

    @property
    def has_left(self) -> bool:
        """Whether records of the batch were left to a later one."""
        return bool(self.waiting) or any(offset is not None for offset in self.unread.values())

    def _queues(self, given: TaskInput) -> Iterator[list[RecordQueue]]:
        of_log: list[tuple[str, int, RecordQueue]] = []
        of_global_tables: list[RecordQueue] = []
        for offsets in sorted(given.offsets):
            queue = self._log_queue(offsets)
            if offsets.topic in self._plan.global_topics and not self._by_arrival:
                of_global_tables.append(queue)
            else:
                of_log.append((offsets.topic, offsets.partition, queue))
        if of_global_tables:
            yield of_global_tables
        yield [queue for _, _, queue in sorted([*of_log, *self._of_senders(given)], key=lambda source: source[:2])]

    def _in_order(self, queues: Sequence[RecordQueue]) -> Iterator[Sequence[IncomingRecord]]:
        """Yield the records of queues in order, one at a time if it matters which ones were decoded."""
        if self._by_arrival:
            return ([record] for record in in_order(queues, self._order_of))
        return chunks_in_order(queues, self._order_of)

    def _of_range(self, offsets: OffsetRange) -> Iterator[Sequence[IncomingRecord]]:
        """Yield the records of an offset range that is the whole batch: there are no others to choose from.

        They are decoded together, before they are known to be taken.
        """
        topic, number, start, end, _ = offsets
        partition, decode_all, taken = TopicPartition(topic, number), self._batch_decoders.of_source(topic), 0
        kept = self._read.setdefault(partition, deque(maxlen=1))
        position = end
        reader = RangeReader(self._plan.ports.log, partition, self._plan.options.auto_offset_reset)
        for read in chunks_of(reader.read(start, end), self._chunk_size):
            undecodable: list[tuple[LogRecord, Exception]] = []
            if self._keep_received:
                kept.append(read)
            chunk = decode_all(read, lambda record, error, into=undecodable: into.append((record, error)))  # type: ignore[misc]
            if chunk:
                yield chunk
            if self._rest is not None:
                position = self._rest[0].offset if self._rest else read[-1].offset + 1
                taken -= len(self._rest)
            taken += len(chunk)
            for record, error in undecodable:
                if record.offset < position:
                    self._undecodable(record, error)
            if self._rest is not None:
                break
        self.unread[partition] = position if position < end else None
        self.records += taken
        self.consumed[topic] += taken
        if reader.skipped:
            self.skipped[partition] = self.skipped.get(partition, 0) + reader.skipped

    def _log_queue(self, offsets: OffsetRange) -> LogQueue:
        self.unread[TopicPartition(offsets.topic, offsets.partition)] = None
        log, reset = self._plan.ports.log, self._plan.options.auto_offset_reset
        decode_all = self._batch_decoders.of_source(offsets.topic)
        if self._keep_received:
            decode_all = self._keeping(TopicPartition(offsets.topic, offsets.partition), decode_all)
        return LogQueue(log, offsets, decode_all, self._undecodable, reset, self._chunk_size)

    def _keeping(self, partition: TopicPartition, decode_all: DecodeAll) -> DecodeAll:
        """Return a function that decodes records and keeps them as they were read."""
        kept = self._read.setdefault(partition, deque())

        def decode(records: Sequence[LogRecord], refuse: Callable[[LogRecord, Exception], None]) -> Sequence[IncomingRecord]:
            kept.append(records)
            return decode_all(records, refuse)

        return decode

    def _release(self, queues: Sequence[RecordQueue]) -> None:
        """Keep the records no longer that precede the heads of their queues, which were processed."""
        for queue in queues:
            if isinstance(queue, LogQueue):
                kept = self._read[TopicPartition(queue.offsets.topic, queue.offsets.partition)]
                while kept and kept[0][-1].offset < queue.position:
                    kept.popleft()

    def _of_senders(self, given: TaskInput) -> Iterator[tuple[str, int, RecordQueue]]:
        """Yield topic, sender and queue of the records of repartition topics.

        Records wait for the records of the log that may precede them. So none are taken in a batch without offset ranges, unless
        the task reads nothing from the log.
        """
        for source, records in take_activity(given):
            if self._plan.clock_topic is None:
                for record in records:
                    self._task.note_activity(activity_in(record))
            else:
                found = BufferedQueue([as_of_topic(self._plan.clock_topic, record) for record in records])
                self._buffered.append((source, records, found))
                yield *source, found
        for source in dict.fromkeys((*self.waiting, *given.repartitioned)):
            parts = given.repartitioned.get(source, [])
            records = joined([self.waiting[source], *parts] if source in self.waiting else parts)
            if self.waiting and not given.offsets and self._reads_log:
                self.waiting[source] = records
                continue
            queue = BufferedQueue(self._received(source[0], records), self._chunk_size)
            self._buffered.append((source, records, queue))
            yield *source, queue

    def _received(self, topic: str, records: Sequence[LogRecord]) -> Sequence[IncomingRecord]:
        """Return the records of a repartition topic, decoded; their offsets are their numbers in the batch."""
        first = self._sent_count
        self._sent_count += len(records)
        self._sent.append((topic, first, records))
        return self._batch_decoders.of_repartition(topic)(records, self._task.partition, first)

    def _note(self, queues: Sequence[RecordQueue], done: int) -> None:
        """Note how many records were taken from queues, and which were left."""
        self.records += done
        for record in self._rest or ():
            self._give_back(record, queues)
        if self._buffered:
            for (topic, _), received, buffered in self._buffered:
                taken = len(received) - buffered.size
                self.records -= taken
                self.consumed[topic] += taken
            self.waiting = {source: records[-queue.size :] for source, records, queue in self._buffered if queue.size}
        for queue in queues:
            if not isinstance(queue, LogQueue):
                continue
            topic, partition, _, end, _ = queue.offsets
            queue.report_undecodable()
            self.consumed[topic] += queue.taken
            if queue.position < end:
                self.unread[TopicPartition(topic, partition)] = queue.position
            if queue.skipped:
                source = TopicPartition(topic, partition)
                self.skipped[source] = self.skipped.get(source, 0) + queue.skipped

    def _give_back(self, record: IncomingRecord, queues: Sequence[RecordQueue]) -> None:
        """Note that a record was taken from one of these queues in vain; those of each queue are given back in order."""
        next(queue for queue in queues if queue.has_yielded(record)).give_back(record)


_offset_of: Callable[[LogRecord], int] = attrgetter("offset")


def _reads_log(plan: RunPlan, task: Task) -> bool:
    """Return whether the log may have records of the task, so that those of other tasks have to wait for them."""
    topics = plan.source_topics(task.sub_topology.index)
    return any(topic in plan.global_topics or task.partition < plan.partitions.get(topic, task.partition + 1) for topic in topics)
