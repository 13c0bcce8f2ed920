"""Hosts a task: takes records from its queues, processes them and collects its output. Engines only schedule task hosts."""

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter

from eddyline.application.operators.columns import NO_ORIGIN
from eddyline.application.operators.context import NO_TIME
from eddyline.application.operators.output import Output
from eddyline.application.ports.codec import CodecUnavailableError
from eddyline.application.ports.event_log import LogRecord, TopicPartition
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.input.interruption import NEVER, ChunkSize, Interruption
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, IncomingRecord, timestamp_of
from eddyline.application.runtime.input.task_input import TaskInput
from eddyline.application.runtime.input.trace_contexts import TraceContexts
from eddyline.application.runtime.output.record_collector import ColumnsOutput, Outlet, RecordCollector
from eddyline.application.runtime.plan.failures import note_failure
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.progress.report import TaskReport, TaskState
from eddyline.application.runtime.task.activity import ActivityExchange
from eddyline.application.runtime.task.creation import create_task
from eddyline.application.runtime.task.dead_letter_writer import DeadLetterWriter
from eddyline.application.runtime.task.guarded import GuardedTask
from eddyline.application.runtime.task.queues import TaskQueues
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology.exception_handlers import PRODUCTION, ErrorContext
from eddyline.application.topology.records import RecordMetadata, SourceRecord


def note_production_failure(error: Exception, output: Output, task_id: str, cause: IncomingRecord | None) -> None:
    """Note in an exception which output could not be sent, and the record that caused it, if that is known."""
    context = ErrorContext(output.sink.name, task_id, timestamp=output.timestamp, key=output.key)
    if cause is not None:
        topic, partition, offset, _, key, _, headers, _ = cause
        context = context._replace(topic=topic, partition=partition, offset=offset, key=key, headers=headers)
    note_failure(error, context, PRODUCTION)


_arrival_of: Callable[[IncomingRecord], int] = attrgetter("arrival")

_FIRST = -1
"""The order of records without a valid event time, which are taken before all others."""


def record_order(plan: RunPlan, task: Task) -> Callable[[IncomingRecord], int]:
    """Return the function by whose results the records of a task are ordered."""
    if plan.options.order == "arrival":
        return _arrival_of
    if all(node.timestamp_extractor is None for node in plan.sources.values()):
        return timestamp_of

    def event_time_of(record: IncomingRecord) -> int:
        topic, partition, offset, timestamp, key, value, headers, _ = record
        try:
            found = task.event_time(SourceRecord(topic, partition, offset, timestamp, key, value, headers))
        except Exception:  # noqa: BLE001 - taken next, the record fails again, as one that is processed
            return _FIRST
        return _FIRST if found is None else found

    return event_time_of


class TaskHost:
    """A task with its decoders, record collector and dead-letter writer; used batch after batch.

    After a batch, `unread` has the offset at which to continue in each partition that was read from the log, or None if its
    whole range was processed. Some records of a range are left when a queue with `more` is empty: see `in_order`. For the same
    reason records of repartition topics may be left: they are in `waiting`, by topic and sender, and precede those of the next
    batch. An engine that replaces the host must pass them on.

    `stores` creates the stores of the task, by default those of the run. Once `interruption` is requested, records are left, too,
    at any offset and in `waiting`, unless they are taken by arrival.
    """

    def __init__(
        self,
        plan: RunPlan,
        sub_topology: int,
        partition: int,
        outlet: Outlet,
        *,
        now_ms: int,
        stores: StateStores | None = None,
        interruption: Interruption = NEVER,
    ) -> None:
        self._plan, self._partition, self._stores = plan, partition, stores or plan.ports.stores
        self._collector = RecordCollector(plan, partition, outlet, self._without_partition)
        self._unpartitioned: list[Output] = []
        self.task = self._create_task(sub_topology, now_ms)
        self.task.interruption = self._interruption = interruption
        self._chunk_size = ChunkSize(interruption)
        self._guarded = self.task if isinstance(self.task, GuardedTask) else None
        self._has_clocks = plan.clock_topic is not None or self.task.idle_sources is not None
        self._dead_letters = DeadLetterWriter(plan, self.task, self._collector)
        self._by_arrival = plan.options.order == "arrival"
        self._traces = TraceContexts() if plan.options.trace_contexts else None
        self._queues = TaskQueues(
            plan,
            self.task,
            self._record_order(),
            self._dead_letters.undecodable,
            self._traces,
            self._chunk_size,
            keep_received=self._keeps_received(),
        )
        self._activity = ActivityExchange(plan, self.task, outlet)
        self._begin_report()
        self._begin()

    def run(self, given: TaskInput, now_ms: int) -> Iterator[None]:
        """Process a batch at this wall-clock time and commit the task.

        Yields whenever output was collected, so that the engine can send it before the batch is done.
        """
        self._begin()
        task = self.task
        task.advance_wall_clock(now_ms if self._plan.options.clock is None else task.wall_clock_ms)
        self._send()
        if self._interruption.requested:
            self._queues.interrupt()
        for chunk in self._queues.chunks(given):
            began = time.monotonic()
            done = self._process_chunk(chunk)
            self._send_dropped()
            self._chunk_size.ended(done, time.monotonic() - began)
            if self._interruption.requested:
                self._queues.interrupt(chunk[done:])
            yield
        if self._has_clocks:
            self._follow_wall_clock(partial=given.partial)
        if given.commit:
            task.commit()
        self._send()
        self._send_dropped()
        yield

    def leave(self, given: TaskInput) -> None:
        """Leave all records of a batch to the next one, which has to read the same offsets."""
        self._queues.leave(given)

    @property
    def waiting(self) -> dict[tuple[str, int], Sequence[LogRecord]]:
        """The records of repartition topics that were left, by topic and sender."""
        return self._queues.waiting

    @property
    def reported(self) -> dict[TopicPartition, int]:
        """The offsets before which dead letters of global tables were written by earlier runs, by partition."""
        return self._dead_letters.reported

    @property
    def unread(self) -> dict[TopicPartition, int | None]:
        """Where to continue in each partition that was read in the last batch."""
        return self._queues.unread

    def report(self) -> TaskReport:
        """Return the counts since the last report."""
        letters, drops = self._dead_letters, self._dead_letters.counted(self.task.take_drops())
        queues = self._queues
        counted = +queues.consumed, letters.by_topic, self.task.take_processed()
        traces = () if self._traces is None else self._traces.take()
        found = TaskReport(
            queues.records,
            letters.count,
            drops,
            queues.skipped,
            *counted,
            self.state(),
            trace_contexts=traces,
            late_windows=self.task.take_late_windows(),
            metrics=self.task.take_metrics(),
        )
        self._begin_report()
        return found

    def state(self) -> TaskState:
        """Return the state after the last batch."""
        stream_time = self.task.stream_time
        return TaskState(self.task.task_id, None if stream_time == NO_TIME else stream_time)

    def next_wall_clock_due(self) -> int | None:
        """Return the time of the next punctuation by the system clock, in ms since the epoch; None if there is none."""
        return self.task.next_wall_clock_due() if self._plan.options.clock is None else None

    def _begin_report(self) -> None:
        self._queues.begin_report()
        self._dead_letters.begin()

    def _begin(self) -> None:
        self._arrival = NO_ARRIVAL
        self._ticked_at: int | None = None
        self._queues.begin()
        self._dead_letters.begin_batch()

    # --- processing ---------------------------------------------------------------------------------------------------

    def _process_chunk(self, chunk: Sequence[IncomingRecord]) -> int:
        """Process records, all of them unless it is interrupted; return how many."""
        if self._by_arrival:
            self._process_by_arrival(chunk[0])
            return 1
        ends = self.task.process_all(chunk)
        self._send(chunk, ends)
        return len(ends) or len(chunk)

    def _process_by_arrival(self, record: IncomingRecord) -> None:
        if self._ticked_at is not None and record.arrival != self._ticked_at:
            self._follow_clock_topic()
        if record.topic == self._plan.clock_topic:
            self._tick(record)
            ends: Sequence[int] = (len(self.task.output),)
        else:
            ends = self.task.process_all((record,))
        self._arrival = record.arrival
        self._send((record,), ends)

    def _tick(self, record: IncomingRecord) -> None:
        """Set the wall clock to that of a record of the clock topic, or note which sources were active before that."""
        if record.value is not None:
            self.task.note_activity(record.value)
            return
        self._activity.send(self._arrival)
        self.task.advance_wall_clock(record.timestamp)
        self._ticked_at = record.arrival

    def _follow_clock_topic(self) -> None:
        """Advance stream time where all sources are idle, after all records that the last record of the clock topic caused."""
        if self._ticked_at is not None and self.task.follow_wall_clock():
            self._arrival = self._ticked_at
            self._send()
        self._ticked_at = None

    def _follow_wall_clock(self, *, partial: bool) -> None:
        """Advance stream time where all sources are idle, unless records are left to a later batch."""
        if self._plan.clock_topic is not None:
            self._follow_clock_topic()
        has_left = partial or self._queues.has_left
        if has_left and self.task.idle_sources is not None:
            self.task.idle_sources.wait()
        self._activity.send(self._arrival)
        if self._plan.clock_topic is None and not has_left:
            self.task.follow_wall_clock()

    def _send(self, chunk: Sequence[IncomingRecord] = (), ends: Sequence[int] = ()) -> None:
        """Send the output of the task; `ends` has the number of outputs after each record of the chunk."""
        guarded = self._guarded
        if guarded is not None:
            self._collector.send_routed(guarded.take_routed(), self._arrival)
            self._dead_letters.failed(guarded.take_failures(), self._queues.received)
            return
        for columns in self.task.take_columns():
            self._send_columns(columns, chunk)
        if not self.task.output:
            return
        outputs = self.task.take_output()
        try:
            self._collector.collect(outputs, self._arrival)
        except CodecUnavailableError:
            raise
        except Exception as error:
            self._note(error, outputs, chunk, ends)
            raise
        if self._unpartitioned:
            self._drop_unpartitioned(outputs, chunk, ends)

    def _send_dropped(self) -> None:
        if self._plan.options.dead_letter_drops:
            self._dead_letters.dropped(self.task.take_dropped(), self._queues.received)

    def _send_columns(self, columns: ColumnsOutput, chunk: Sequence[IncomingRecord]) -> None:
        try:
            self._collector.collect_columns(columns, self._arrival)
        except CodecUnavailableError:
            raise
        except Exception as error:
            outputs = list(columns.outputs())
            index = self._collector.first_failing(outputs)
            if index is not None:
                origin = columns.records.origins[index]
                cause = None if origin == NO_ORIGIN else chunk[origin]
                note_production_failure(error, outputs[index], self.task.task_id, cause)
            raise

    def _without_partition(self, output: Output) -> None:
        """Drop an output for which a partitioner chose no partition."""
        if self._guarded is not None:
            self._guarded.drop_output(output, self._guarded.metadata)
        else:
            self._unpartitioned.append(output)

    def _drop_unpartitioned(self, outputs: Sequence[Output], chunk: Sequence[IncomingRecord], ends: Sequence[int]) -> None:
        """Drop the outputs without a partition, each with the record that caused it."""
        indexes = {id(output): index for index, output in enumerate(outputs)}
        for output in self._unpartitioned:
            number = bisect_right(ends, indexes[id(output)])
            source = None
            if number < len(chunk):
                topic, partition, offset, timestamp, _, _, headers, _ = chunk[number]
                source = RecordMetadata(topic, partition, offset, timestamp, headers)
            self.task.drop_output(output, source)
        self._unpartitioned.clear()

    def _note(self, error: Exception, outputs: Sequence[Output], chunk: Sequence[IncomingRecord], ends: Sequence[int]) -> None:
        """Note in an exception which output could not be sent, and the record that caused it."""
        index = self._collector.first_failing(outputs)
        if index is not None:
            number = bisect_right(ends, index)
            note_production_failure(error, outputs[index], self.task.task_id, chunk[number] if number < len(chunk) else None)

    def _record_order(self) -> Callable[[IncomingRecord], int]:
        return record_order(self._plan, self.task)

    def _keeps_received(self) -> bool:
        options = self._plan.options
        return options.dead_letter_drops or not options.exception_handlers.always_fail

    def _create_task(self, sub_topology: int, now_ms: int) -> Task:
        options = self._plan.options
        return create_task(
            self._plan,
            sub_topology,
            self._partition,
            now_ms=now_ms,
            produce=self._collector.routed,
            produce_columns=self._collector.routed_columns,
            stores=self._stores,
            keep_dropped=options.dead_letter_drops,
            count_by_node=options.metrics_recording_level == "debug",
        )
