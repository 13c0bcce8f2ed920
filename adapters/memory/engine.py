"""The memory engine: processes records one by one in this process, with a wall clock that the caller advances.

With one partition it works like the TopologyTestDriver of Kafka Streams. With several, each sub-topology has as many tasks, and
records pass between them through repartition topics.
"""

import gc
from collections import Counter, deque
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple, get_args

from eddyline.adapters.memory.partitioning import Partitioning
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.memory.transfer import TopicTransfer, Transfer
from eddyline.application.operators.context import DropReason
from eddyline.application.operators.output import Dropped, Output
from eddyline.application.ports.codec import Codecs, CodecUnavailableError
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, IncomingRecord, incoming_record
from eddyline.application.runtime.plan.failures import ExceptionHandlers, Failure, OutputError
from eddyline.application.runtime.plan.partitions import task_counts, topic_partitions
from eddyline.application.runtime.plan.run_plan import upstream_first
from eddyline.application.runtime.progress.store_rows import StoreRow, rows_of
from eddyline.application.runtime.task.creation import close_tasks
from eddyline.application.runtime.task.guarded import GuardedTask
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import listed
from eddyline.application.topology.exception_handlers import ExceptionHandler
from eddyline.application.topology.graph.topology import TopicSpec
from eddyline.application.topology.immutable import own_copy
from eddyline.application.topology.metrics import MetricValue
from eddyline.application.topology.nodes import SinkNode
from eddyline.application.topology.records import Headers
from eddyline.application.topology.types import Emit


def chosen_emit(emit: Emit | None, topology: Topology) -> Emit:
    """Return which updates are forwarded: as the caller chose, else as the topology's flow says, else every update.

    Raises:
        ValueError: there is no such choice.
    """
    chosen = topology.emit_with(emit)
    if chosen not in get_args(Emit):
        msg = f"invalid emit={chosen!r}; choose one of: {', '.join(map(repr, get_args(Emit)))}"
        raise ValueError(msg)
    return chosen


def partition_counts(partitions: int | Mapping[str, int], topics: Iterable[str]) -> dict[str, int]:
    """Return the number of partitions by topic; a single number is that of all `topics`.

    Raises:
        ValueError: a number is no integer, or less than 1.
    """
    counts: dict[str, int] = dict(partitions) if isinstance(partitions, Mapping) else dict.fromkeys(topics, partitions)
    for topic, count in counts.items():
        if type(count) is not int or count < 1:
            msg = f"invalid number of partitions {count!r} for topic '{topic}'; pass partitions=1 or more"
            raise ValueError(msg)
    return counts


_SIZE: Final = 1_000
_topic: Callable[[tuple[str, Any, Any, int]], str] = itemgetter(0)


def chunks_of(
    records: Sequence[tuple[str, Any, Any, int]],
    offsets: Counter[tuple[str, int]],
    topics: Container[str],
    add_topic: Callable[[str], None],
) -> Iterator[list[IncomingRecord]]:
    """Yield piped records of partition 0 in lists of one topic and of at most 1,000.

    Args:
        records: Topic, key, value and timestamp of each record.
        offsets: The next offset by topic and partition, which is advanced.
        topics: The topics that are known.
        add_topic: Called with a topic that is not known, after all records before it were yielded.
    """
    for first in range(0, len(records), _SIZE):
        for topic, same in groupby(records[first : first + _SIZE], key=_topic):
            if topic not in topics:
                add_topic(topic)
            start = offsets[topic, 0]
            chunk = [
                incoming_record((topic, 0, offset, timestamp, key, value, (), NO_ARRIVAL))
                for offset, (_, key, value, timestamp) in enumerate(same, start)
            ]
            offsets[topic, 0] = start + len(chunk)
            yield chunk


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Collect no cyclic garbage meanwhile."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


class IdleTasks:
    """The tasks with idle timeouts upstream; `readers` has, by topic, the tasks of each sub-topology that reads it."""

    def __init__(
        self, topology: Topology, tasks: Sequence[Sequence[Task]], readers: Mapping[str, Sequence[Sequence[Task]]]
    ) -> None:
        ordered, cyclic = upstream_first(topology)
        self._tasks = [task for index in (*ordered, *cyclic) for task in tasks[index] if task.idle_sources is not None]
        self._readers = readers

    def note_activity(self) -> None:
        """Note at which wall-clock time records were processed; call it before the clock is moved."""
        for task in self._tasks:
            for topic, activity in task.take_activity():
                for tasks in self._readers[topic]:
                    for reader in tasks:
                        reader.note_activity(activity)

    def follow(self, settle: Callable[[Task], None]) -> None:
        """Advance the stream times that follow the wall clock; `settle` delivers the output of each task before the next one."""
        for task in self._tasks:
            if task.follow_wall_clock():
                settle(task)


class Produced(NamedTuple):
    """An output and its partitions: None for the default one, none at all if a partitioner chose none."""

    output: Output
    partitions: Collection[int | None]


_BY_DEFAULT = (None,)


class Production:
    """Produces outputs."""

    def __init__(self, transfer: Transfer, partitioning: Partitioning) -> None:
        self._transfer, self._partitioning = transfer, partitioning

    def of(self, output: Output) -> Produced:
        """Return an output with its partitions. Raises CodecError, and what its partitioner raises."""
        self._transfer.check(output)
        partitioner = output.sink.partitioner
        return Produced(output, _BY_DEFAULT if partitioner is None else self._partitioning.chosen(output, partitioner))

    def of_all(self, outputs: Sequence[Output]) -> list[Produced]:
        """Return outputs with their partitions.

        Raises:
            OutputError: an output cannot be encoded, or its partitioner fails.
            CodecUnavailableError: a codec cannot work at the moment.
        """
        return [self._guarded(output) for output in outputs]

    def _guarded(self, output: Output) -> Produced:
        try:
            return self.of(output)
        except CodecUnavailableError:
            raise
        except Exception as error:
            raise OutputError(output, error) from error


def store_contents(topology: Topology, tasks: Iterable[Task], name: str) -> list[StoreRow]:
    """Return the rows of a store in all tasks, sorted by key, window start and window end.

    Raises:
        LookupError: the topology has no store of this name.
    """
    spec = topology.stores.get(name)
    if spec is None:
        msg = f"store '{name}' is unknown; this topology has: {listed(topology.stores)}"
        raise LookupError(msg)
    having = [task for task in tasks if name in task.stores]
    if name not in {store for sub in topology.sub_topologies for store in sub.stores}:
        having = having[:1]  # a global table: every task has a full copy
    return rows_of(spec, (entry for task in having for entry in task.stores[name].snapshot()))


def read_by(topology: Topology) -> list[str]:
    """Return the source topics and the patterns of a topology."""
    return [*(spec.name for spec in topology.source_topics), *topology.source_patterns]


def matching(topology: Topology, topic: str) -> tuple[str, TopicSpec]:
    """Return the pattern of a topology that a topic matches, and the topic. Raises LookupError if there is none."""
    spec = topology.source_topic(topic) if topology.matching_topics([topic]) else None
    if spec is None:
        msg = f"the topology does not read topic '{topic}'; it reads: {listed(read_by(topology))}"
        raise LookupError(msg)
    return next(text for text, found in topology.source_patterns.items() if found.fullmatch(topic)), spec


def delivers_to_itself(topology: Topology, read: Container[str]) -> bool:
    """Return whether records of a topology may go to its own tasks, or to partitions that it chooses; `read` are its sources."""
    return bool(topology.repartition_topics) or any(
        node.partitioner is not None or not isinstance(node.topic, str) or node.topic in read
        for node in topology.nodes
        if isinstance(node, SinkNode)
    )


class MemoryEngine:
    """Runs a topology record by record, to test flows.

    Args:
        topology: the topology to run.
        partitions: the number of partitions of all source topics, or of each by name.
        emit: whether tables forward every update, or only the last one of each key at `commit()`; by default as the topology's
            flow says, or else every update.
        stores: creates the state stores; in memory by default.
        codecs: encode and decode the records of all topics and the state, as in a run. Without codecs, the records of source and
            result topics stay as they are; those of repartition topics, and the state, are kept as in a run.
        wall_clock_ms: the wall-clock time at the start, in ms since the epoch; `advance_wall_clock` changes it.
        processing_exception_handler: how to respond to exceptions of the flow, and to values that a store cannot keep; after
            those that do not end the run, `failures` has the context, the exception and the response.
        production_exception_handler: how to respond to records that a codec cannot write, and to exceptions in partitioners;
            likewise.
    """

    def __init__(
        self,
        topology: Topology,
        *,
        partitions: int | Mapping[str, int] = 1,
        emit: Emit | None = None,
        stores: StateStores | None = None,
        codecs: Codecs | None = None,
        wall_clock_ms: int = 0,
        processing_exception_handler: ExceptionHandler = "fail",
        production_exception_handler: ExceptionHandler = "fail",
    ) -> None:
        self.topology = topology
        codecs = None if codecs is None else codecs.configured(topology.type_choices)
        self.wall_clock_ms = wall_clock_ms
        self._partitions = topic_partitions(topology, partition_counts(partitions, read_by(topology)))
        self._topic_transfer = None if codecs is None else TopicTransfer(topology, codecs)
        self._transfer = self._topic_transfer or Transfer(topology)
        self.failures: list[Failure] = []
        common: dict[str, Any] = {
            "stores": stores or MemoryStateStores(),
            "emit": chosen_emit(emit, topology),
            "wall_clock_ms": wall_clock_ms,
            "keep_dropped": True,
        }
        self._global_topics = {spec.name for spec in topology.source_topics if spec.global_}
        self._partitioning = Partitioning(self._partitions, self._global_topics, codecs)
        self._production = Production(self._transfer, self._partitioning)
        handlers = ExceptionHandlers(processing_exception_handler, production_exception_handler)
        task: Callable[..., Task] = Task
        if not handlers.always_fail:
            check = self._transfer.check_entries
            task = partial(GuardedTask, handlers=handlers, produce=self._production.of_all, check_state=check)
        self._tasks = [
            [task(topology, sub.index, number, **common) for number in range(count)]
            for sub, count in zip(topology.sub_topologies, task_counts(topology, self._partitions), strict=True)
        ]
        self._all_tasks = [task for tasks in self._tasks for task in tasks]
        self._readers: dict[str, list[list[Task]]] = {}
        for tasks in self._tasks:
            for topic in tasks[0].topics:
                self._readers.setdefault(topic, []).append(tasks)
        self._idle_tasks = IdleTasks(topology, self._tasks, self._readers)
        self._source_topics = {spec.name: spec for spec in topology.source_topics}
        chosen = any(isinstance(node, SinkNode) and not isinstance(node.topic, str) for node in topology.nodes)
        self._sink_topics = None if chosen else frozenset(spec.name for spec in topology.sink_topics)
        self._collects_directly = codecs is None and not delivers_to_itself(topology, self._readers)
        self._processes_chunks = len(self._all_tasks) == 1 and handlers.always_fail and self._collects_directly
        self._offsets: Counter[tuple[str, int]] = Counter()
        self._undelivered: deque[tuple[Output, int | None]] = deque()
        self._outputs: list[Output] = []
        self._metrics: dict[tuple[str, str], MetricValue] = {}
        self._drops: Counter[tuple[str, str]] = Counter()
        self._dropped: list[Dropped] = []
        self._closed = False

    # --- input -----------------------------------------------------------------------------------------------------------

    def pipe(
        self,
        topic: str,
        key: Any,
        value: Any,
        timestamp: int,
        headers: Headers = (),
        *,
        partition: int | None = None,
        offset: int | None = None,
    ) -> None:
        """Process a record, and the records that it causes in repartition topics.

        Args:
            topic: a source topic of the topology.
            key: the key, of the type that the topology reads.
            value: the value; None is a tombstone.
            timestamp: the timestamp in ms since the epoch.
            headers: the headers, pairs of a name and bytes or None.
            partition: the partition; by default the hash of the key chooses it, and records without a key are spread
                round-robin.
            offset: the offset in the partition; by default the next one.

        Raises:
            LookupError: the topology does not read the topic, or the topic does not have the partition.
            CodecError: a codec cannot write the record, or one that the topology writes; or a value in a store or a repartition
                topic would not come back as it is.
        """
        self._process(topic, (key, value, timestamp, headers), partition, offset)
        self._check_state()

    def _process(self, topic: str, record: tuple[Any, Any, int, Headers], partition: int | None, offset: int | None) -> None:
        key, value, timestamp, headers = record
        if topic not in self._source_topics:
            self._add_matching(topic)
        if self._topic_transfer is not None:
            key, value = self._topic_transfer.piped(topic, key, value, headers)
        if partition is None:
            partition = self._partitioning.partition_of(topic, key, self._source_topics[topic].key_type)
        else:
            self._partitioning.check(topic, partition)
        if offset is not None:
            self._offsets[topic, partition] = offset
        self._deliver(topic, partition, (key, value, timestamp, headers))
        self._deliver_all()

    def pipe_all(self, records: Iterable[tuple[str, Any, Any, int]]) -> None:
        """Process records given as (topic, key, value, timestamp), then commit.

        Python's cyclic garbage collection is paused meanwhile, since it would take a third of the time.
        """
        with garbage_collection_paused():
            if self._processes_chunks and isinstance(records, Sequence):
                (task,) = self._all_tasks
                for chunk in chunks_of(records, self._offsets, self._source_topics, self._add_matching):
                    try:
                        task.process_all(chunk)
                    finally:
                        self._collect(task)
            else:
                for topic, key, value, timestamp in records:
                    self._process(topic, (key, value, timestamp, ()), None, None)
            self.commit()

    def advance_wall_clock(self, by_ms: int) -> None:
        """Advance the wall clock by `by_ms`: run the punctuations that are due, and close windows whose sources are idle."""
        self._idle_tasks.note_activity()
        self.wall_clock_ms += by_ms
        for task in self._all_tasks:
            task.advance_wall_clock(self.wall_clock_ms)
            self._collect(task)
        self._deliver_all()
        self._idle_tasks.follow(self._settle)
        self._check_state()

    def commit(self) -> None:
        """Commit all tasks: with `emit="latest"` they forward their cached updates, and processors get `on_commit`."""
        for task in self._all_tasks:
            task.commit()
            self._settle(task)
        self._check_state()

    def close(self) -> None:
        """Commit all tasks, then close their processors and stores; outputs can still be read."""
        if not self._closed:
            self.commit()
            self._closed = True
            close_tasks(self._all_tasks)

    # --- output ----------------------------------------------------------------------------------------------------------

    def outputs(self, topic: str | None = None) -> list[Output]:
        """Return the records emitted since the last `take_outputs()`, to a topic or to all topics, in order.

        Raises:
            LookupError: the topology does not write to the topic.
        """
        if topic is not None and self._sink_topics is not None and topic not in self._sink_topics:
            msg = f"the topology does not write to topic '{topic}'; it writes to: {listed(self._sink_topics)}"
            raise LookupError(msg)
        return [record for record in self._outputs if topic is None or record.topic == topic]

    def take_outputs(self) -> list[Output]:
        """Remove and return the records emitted since the last call, in order."""
        taken, self._outputs = self._outputs, []
        return taken

    def store(self, name: str) -> list[StoreRow]:
        """Return the rows of a store in all tasks, sorted by key, window start and window end.

        Raises:
            LookupError: the topology has no store of this name.
        """
        return store_contents(self.topology, self._all_tasks, name)

    @property
    def metrics(self) -> Mapping[tuple[str, str], MetricValue]:
        """What the metrics of processors have counted, by processor and name, of all tasks together."""
        return self._metrics

    @property
    def drops(self) -> Mapping[tuple[str, str], int]:
        """The number of records that were dropped, by node and reason."""
        return self._drops

    @property
    def dropped(self) -> list[Dropped]:
        """The records that were dropped, in order."""
        return self._dropped

    def _add_matching(self, topic: str) -> None:
        """Add a topic that matches a pattern; it has as many partitions as it was given, or as the pattern."""
        pattern, self._source_topics[topic] = matching(self.topology, topic)
        self._readers[topic] = self._readers[pattern]
        self._partitions.setdefault(topic, self._partitions[pattern])

    # --- between tasks ------------------------------------------------------------------------------------------------------

    def _deliver(self, topic: str, partition: int, record: tuple[Any, Any, int, Headers]) -> None:
        key, value, timestamp, headers = record
        offset = self._offsets[topic, partition]
        self._offsets[topic, partition] = offset + 1
        for tasks in self._readers[topic]:
            for task in tasks if topic in self._global_topics else (tasks[partition],):
                task.process(topic, key, own_copy(value), timestamp, headers, partition=partition, offset=offset)
                self._collect(task)

    def _settle(self, task: Task) -> None:
        self._collect(task)
        self._deliver_all()

    def _collect(self, task: Task) -> None:
        if isinstance(task, GuardedTask):
            self._send(task.take_routed())
            self.failures += task.take_failures()
        elif self._collects_directly:
            self._outputs += task.take_output()
        else:
            self._send(map(self._production.of, task.take_output()))
        for place, value in task.take_metrics().items():
            before = self._metrics.get(place)
            self._metrics[place] = value if before is None else before.and_then(value)
        drops = task.take_drops()
        if drops:
            self._drops.update(drops)
            self._dropped.extend(task.take_dropped())

    def _send(self, produced: Iterable[Produced]) -> None:
        for output, partitions in produced:
            for partition in partitions:
                if not output.internal:
                    self._outputs.append(output)
                if output.topic in self._readers:
                    self._undelivered.append((output, partition))
            if not partitions:
                name, reason = output.sink.name, DropReason.NO_PARTITION
                self._drops[name, reason] += 1
                self._dropped.append(Dropped(name, reason, *output[1:5], None))

    def _deliver_all(self) -> None:
        while self._undelivered:
            output, partition = self._undelivered.popleft()
            if partition is None:
                partition = self._partitioning.of_output(output)
            self._deliver(output.topic, partition, (*self._transfer.delivered(output), *output[3:5]))
        if any(task.commit_requested for task in self._all_tasks):
            self.commit()

    def _check_state(self) -> None:
        for task in self._all_tasks:
            self._transfer.check_state(task)
