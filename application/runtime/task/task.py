"""A task: one partition of a sub-topology, with its stores and its stream time; pure and deterministic."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from eddyline.application.operators.context import NO_TIME, DropReason, Forward
from eddyline.application.operators.output import Dropped, Output
from eddyline.application.ports.state_store import StateStore, StoreChange, UndoLog
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.input.incoming_columns import rows_of
from eddyline.application.runtime.input.interruption import NEVER, Interruption
from eddyline.application.runtime.input.record_queue import IncomingRecord
from eddyline.application.runtime.output.record_collector import ColumnsOutput
from eddyline.application.runtime.plan.failures import note_failure
from eddyline.application.runtime.plan.topic_types import store_types
from eddyline.application.runtime.task.context import Punctuation, TaskContext
from eddyline.application.runtime.task.failing_node import NodeFunctions
from eddyline.application.runtime.task.idle_sources import Activity, IdleSources
from eddyline.application.runtime.task.linking import link
from eddyline.application.runtime.task.paths import Together, Work, apply
from eddyline.application.runtime.task.state import NUMBERS
from eddyline.application.runtime.task.stores import make_store
from eddyline.application.topology import Topology
from eddyline.application.topology.by_topic import ByTopic
from eddyline.application.topology.exception_handlers import PROCESSING, ErrorContext
from eddyline.application.topology.metrics import MetricValue
from eddyline.application.topology.nodes import CombineNode, SourceNode
from eddyline.application.topology.processor import PunctuationType
from eddyline.application.topology.records import Headers, RecordMetadata, SourceRecord
from eddyline.application.topology.timestamps import MAX_TIMESTAMP, in_milliseconds, wall_clock_time
from eddyline.application.topology.types import Emit

Extractor: TypeAlias = Callable[[SourceRecord], int | None]


class RecordProcessing(TaskContext):
    """The part of a task that processes records."""

    interruption: Interruption = NEVER
    """Whether `process_all` is to return after the record that it is processing."""
    idle_sources: IdleSources | None = None
    _path: Together | None = None
    _sources: ByTopic[tuple[Forward, Extractor | None, str]]
    _global_topics: set[str]
    _by_stream_time: list[Punctuation]

    def event_time(self, record: SourceRecord) -> int | None:
        """Return the timestamp that the extractor of the topic gives to a record, None if it is invalid."""
        extractor = self._sources[record.topic][1]
        if extractor is None:
            return record.timestamp
        timestamp = extractor(record)
        return None if timestamp is None or timestamp < 0 else timestamp

    def process(
        self,
        topic: str,
        key: Any,
        value: Any,
        timestamp: int,
        headers: Headers = (),
        *,
        partition: int = 0,
        offset: int = -1,
    ) -> None:
        """Process a record, then run the stream-time punctuations that are due.

        `timestamp` is that of the log, in ms since the epoch; the timestamp extractor of the topic may replace it.
        """
        self.process_record(SourceRecord(topic, partition, offset, timestamp, key, value, headers))

    def process_record(self, record: SourceRecord) -> None:
        """Process a record, as `process` does."""
        topic, partition, offset, timestamp, key, value, headers = record
        entry, extractor, step = self._sources[topic]
        try:
            self._current = (topic, partition, offset, timestamp, headers)
            if extractor is not None or timestamp > self.stream_time or timestamp < 0:
                timestamp = self._observe(extractor, step, record)
                if timestamp < 0:
                    return
            entry(key, value, timestamp, headers)
            if self._by_stream_time:
                self._punctuate(self._by_stream_time, self.stream_time)
        except Exception as error:
            self._failed(error, record._replace(timestamp=timestamp))
            raise

    def process_all(self, records: Sequence[IncomingRecord]) -> Sequence[int]:
        """Process records in order, as `process` does; return the number of outputs after each, or nothing if there are none.

        Once it is interrupted, it leaves the records after the present one, so that the numbers returned are fewer.
        """
        path = None if self._by_stream_time or self._output else self._path
        return () if path is not None and self._processed_together(path, records) else self.process_in_order(records)

    def process_in_order(self, records: Sequence[IncomingRecord]) -> Sequence[int]:
        """Process records one by one, as `process_all` does."""
        sources, by_stream_time, output, ends = self._sources, self._by_stream_time, self._output, list[int]()
        append, before, entry, extractor, step = ends.append, None, None, None, ""
        global_topics, interruption = self._global_topics, self.interruption
        for topic, partition, offset, timestamp, key, value, headers, _ in rows_of(records):
            if topic is not before:
                entry, extractor, step = sources[topic]
                before = topic
            try:
                self._current = (topic, partition, offset, timestamp, headers)
                if extractor is None and self.stream_time < timestamp <= MAX_TIMESTAMP and topic not in global_topics:
                    self.stream_time = timestamp
                elif extractor is not None or timestamp > self.stream_time or timestamp < 0:
                    record = SourceRecord(topic, partition, offset, timestamp, key, value, headers)
                    timestamp = self._observe(extractor, step, record)  # noqa: PLW2901 - the event time
                    if timestamp < 0:
                        append(len(output))
                        continue
                entry(key, value, timestamp, headers)  # type: ignore[misc] # that of the topic
                if by_stream_time:
                    self._punctuate(by_stream_time, self.stream_time)
            except Exception as error:
                self._failed(error, SourceRecord(topic, partition, offset, timestamp, key, value, headers))
                raise
            append(len(output))
            if interruption.requested:
                break
        return ends

    def process_each(self, records: Iterable[IncomingRecord]) -> Sequence[int]:
        """Process records one after the other, until it is interrupted; return the number of outputs after each of them."""
        ends = []
        for *record, _ in records:
            self.process_record(SourceRecord(*record))
            ends.append(len(self._output))
            if self.interruption.requested:
                break
        return ends

    def _processed_together(self, path: Together, records: Sequence[IncomingRecord]) -> bool:
        """Process records together; return False if they must be processed one by one."""
        try:
            work = path.work_of(records)
        except Exception:  # noqa: BLE001 - nothing is changed yet: it is raised again where it belongs, for its record
            return False
        self._do(work, records)
        return True

    def _do(self, work: Work, records: Sequence[IncomingRecord]) -> None:
        """Do what is to be done with records; if that fails, the current record is the one that has caused it."""
        self._current, self._together = None, records
        try:
            if self.idle_sources is not None:
                for topic, newest in work.newest.items():
                    self.idle_sources.saw(self._sources[topic][2], newest)
            apply(work.effects)
        except Exception as error:
            record = self._processed_now()
            if record is not None:
                topic, partition, offset, timestamp, key, value, headers, _ = record
                self._current = (topic, partition, offset, timestamp, headers)
                self._failed(error, SourceRecord(topic, partition, offset, timestamp, key, value, headers))
            raise
        finally:
            self._together, self._processing = (), None
        self.stream_time = max(self.stream_time, *work.newest.values())

    def _observe(self, extractor: Extractor | None, step: str, record: SourceRecord) -> int:
        """Return the event time of a record, and advance stream time; drop it and return NO_TIME if its time is invalid."""
        topic, partition, offset, timestamp, key, value, headers = record
        if extractor is not None:
            self._current = None
            found = extractor(record)
            timestamp = NO_TIME if found is None else found
            self._current = (topic, partition, offset, timestamp, headers)
        if timestamp < 0 or timestamp > MAX_TIMESTAMP:
            self.drop(step, DropReason.INVALID_TIMESTAMP, key, value, timestamp, headers)
            return NO_TIME
        if timestamp > self.stream_time and topic not in self._global_topics:
            self.stream_time = timestamp
        return timestamp

    @abstractmethod
    def _punctuate(self, punctuations: Iterable[Punctuation], now: int) -> None:
        """Run the punctuations that are due."""

    @abstractmethod
    def _failed(self, error: Exception, record: SourceRecord | None = None, node: str = "") -> None:
        """Note in an exception where it was raised."""


_NO_DROPS: Final[Mapping[tuple[str, str], int]] = MappingProxyType({})


class Task(RecordProcessing):
    """Processes the records of one partition of one sub-topology.

    A task reads no clock and knows no engine: the same records in the same order, with the same wall-clock times, give the
    same output.
    """

    undo: UndoLog | None = None
    """The log of the changes of its stores, if they can be undone."""

    def __init__(
        self,
        topology: Topology,
        sub_topology: int,
        partition: int,
        *,
        stores: StateStores,
        emit: Emit = "every-update",
        wall_clock_ms: int = 0,
        keep_dropped: bool = False,
        count_by_node: bool = False,
    ) -> None:
        super().__init__(
            topology,
            f"{sub_topology}_{partition}",
            emit,
            wall_clock_ms=wall_clock_ms,
            keep_dropped=keep_dropped,
            count_by_node=count_by_node,
        )
        self.sub_topology = topology.sub_topologies[sub_topology]
        self.partition = partition
        nodes = self._own_nodes()
        names = dict.fromkeys(name for node in nodes for name in node.stores)
        self._stores.update((name, make_store(stores, topology.stores[name], self.undo)) for name in names)
        entries, functions, children = link(nodes, self, self._paths, self._processed if count_by_node else None)
        combined = {node.name: node.aggregation for node in nodes if isinstance(node, CombineNode)}
        self._functions = NodeFunctions(
            (combined.get(name, name), function) for name, function in (*functions, *self._together_by.items())
        )
        sources = [node for node in nodes if isinstance(node, SourceNode)]
        self.idle_sources = IdleSources.of(topology, nodes, self)
        self._path = Together.of(nodes, children, self._paths)
        if self.idle_sources is not None:
            entries = {node.topic: self.idle_sources.tracked(node.name, entries[node.topic]) for node in sources}
        self._sources = ByTopic({node.topic: (entries[node.topic], self._extractor(node), node.name) for node in sources}, nodes)
        self._global_topics = {node.topic for node in nodes if isinstance(node, SourceNode) and node.global_}
        self._committing.reverse()
        self._closing.reverse()
        self._following.reverse()
        self._by_stream_time = self._punctuations[PunctuationType.STREAM_TIME]
        self._by_wall_clock = self._punctuations[PunctuationType.WALL_CLOCK_TIME]

    @property
    def topics(self) -> Sequence[str]:
        """The topics whose records the task processes, including repartition topics and those of global tables."""
        return tuple(self._sources)

    @property
    def together(self) -> Collection[str]:
        """The topics, or the patterns of topics, of which many records are processed at once; others are one by one."""
        return () if self._path is None else self._path.topics

    def one_by_one(self, node: str) -> str | None:
        """Return why the records of a node are processed one by one, and what would change it; None if many are at once."""
        found = self.topology.by_name[node]
        if not isinstance(found, SourceNode):
            return self._paths.reason(node)
        if found.global_ or self._by_stream_time:
            return "global tables are read record by record" if found.global_ else "a processor punctuates by stream time"
        if found.timestamp_extractor is not None:
            return "a timestamp extractor is called for each record; let producers set the timestamps"
        if found.topic in self.together:
            return None
        if found.pattern is not None:
            return self._paths.reason(node) or "its topics are those of a pattern, beside other sources"
        return self._paths.reason(node) or "a join downstream reads what others change"

    # --- clocks -------------------------------------------------------------------------------------------

    def advance_wall_clock(self, now_ms: int) -> None:
        """Set the wall clock and run the wall-clock punctuations that are due, each at most once.

        If the clock was set back, the next punctuation is at most one interval away nevertheless.
        """
        self.wall_clock_ms = now_ms
        if self._by_wall_clock:
            for punctuation in self._by_wall_clock:
                punctuation.realign(now_ms)
            self._punctuate(self._by_wall_clock, now_ms)

    def follow_wall_clock(self) -> bool:
        """Advance stream time to where idle sources let it follow the wall clock; return whether it was advanced anywhere.

        Call it only when all records that have come are processed. Operators upstream are advanced, and emit what is due, before
        those downstream of them; so do their caches, as by `commit`.
        """
        sources, now = self.idle_sources, self.wall_clock_ms
        if sources is None:
            return False
        self._current = None
        advanced = False
        for operator in self._following:
            advance = operator.due(sources, now)
            if advance is not None:
                self.commit()
                self._unit(advance, operator.node)
                advanced = True
        time = sources.time_of_task(now)
        if time > self.stream_time:
            self.stream_time, advanced = time, True
            self._punctuate(self._by_stream_time, time)
        return advanced

    def take_activity(self) -> Iterable[tuple[str, Activity]]:
        """Return which sources were active since the last call, by repartition topic; note it in the tasks that read them."""
        return () if self.idle_sources is None else self.idle_sources.take_activity(self.wall_clock_ms)

    def note_activity(self, activity: Activity) -> None:
        """Note which sources were active in a task upstream."""
        if self.idle_sources is not None:
            self.idle_sources.note(activity)

    def _unit(self, unit: Callable[[], None], node: str) -> None:
        """Run something that no record causes for a node."""
        try:
            unit()
        except Exception as error:
            self._failed(error, node=node)
            raise

    def next_wall_clock_due(self) -> int | None:
        """Return the time of the next wall-clock punctuation, None if there is none."""
        return min((p.due.value for p in self._by_wall_clock if not p.cancelled), default=None) if self._by_wall_clock else None

    def commit(self) -> None:
        """Forward the updates that tables have cached, and call `on_commit` of processors, in the order of the nodes."""
        self._current, self.commit_requested = None, False
        try:
            for callback in self._committing:
                callback()
        except Exception as error:
            self._failed(error)
            raise

    def close(self) -> None:
        """Close the processors, then the stores; raise what a processor has raised when all are closed."""
        try:
            self.close_processors()
        finally:
            for store in self._stores.values():
                store.close()

    def close_processors(self) -> None:
        """Close the processors, once; raise what one of them has raised when all are closed."""
        closing, self._closing = self._closing, []
        with ExitStack() as closed:
            for callback in reversed(closing):
                closed.callback(callback)

    def _punctuate(self, punctuations: Iterable[Punctuation], now: int) -> None:
        self._current = None
        for punctuation in punctuations:
            if punctuation.take_due(now):
                self._unit(partial(punctuation.callback, now), punctuation.node)

    def _failed(self, error: Exception, record: SourceRecord | None = None, node: str = "") -> None:
        """Note in an exception that ends the run where it was raised."""
        note_failure(error, self.error_context(error, record, node), PROCESSING)

    def error_context(self, error: Exception, record: SourceRecord | None = None, node: str = "") -> ErrorContext:
        """Return where an exception was raised while a record was processed, None in punctuation and commit.

        `node` is the node to name if the traceback contains no operator.
        """
        failing = self._functions.failing(error)
        if failing is not None:
            node = failing.node
        if record is None:
            key, timestamp = (None, None) if failing is None else (failing.key, failing.timestamp)
            return ErrorContext(node or "commit", self.task_id, timestamp=timestamp, key=key)
        topic, partition, offset, timestamp, key, _, headers = record
        if self._current is not None:
            timestamp = self._current[3]
        return ErrorContext(node or self._sources[topic][2], self.task_id, topic, partition, offset, timestamp, key, headers)

    # --- output --------------------------------------------------------------------------------------------------

    def take_output(self) -> list[Output]:
        """Return the records emitted to topics since the last call, in order."""
        taken = [output for columns in self.take_columns() for output in columns.outputs()]
        taken += self._output
        self._output.clear()
        return taken

    def take_columns(self) -> list[ColumnsOutput]:
        """Return the first records emitted to topics since the last call, if they were emitted by column."""
        taken = self._columns[:]
        self._columns.clear()
        return taken

    def take_drops(self) -> Mapping[tuple[str, str], int]:
        """Return the number of records dropped since the last call, by node and reason."""
        if not self._drops:
            return _NO_DROPS
        taken, self._drops = self._drops, Counter()
        return taken

    def take_late_windows(self) -> Mapping[str, int]:
        """Return the number of closed windows for which records were late since the last call, by node."""
        taken = dict(+self._late_windows)
        self._late_windows.clear()
        return taken

    def take_metrics(self) -> Mapping[tuple[str, str], MetricValue]:
        """Return what the metrics of processors have counted since the last call, by node and name."""
        return {(node, name): value for node, metrics in self._metrics.items() for name, value in metrics.take().items()}

    def take_processed(self) -> Mapping[str, int]:
        """Return the number of records that each node has processed since the last call; empty without `count_by_node`."""
        taken = dict(self._processed)
        self._processed.clear()
        return taken

    def take_dropped(self) -> list[Dropped]:
        """Return the records dropped since the last call; none unless the task was created with `keep_dropped`."""
        taken, self._dropped = self._dropped, []
        return taken

    def drop_output(self, output: Output, source: RecordMetadata | None) -> None:
        """Drop an output for which a partitioner chose no partition; `source` is the record that caused it, if one did."""
        current, self._current = self._current, source
        self.drop(output.sink.name, DropReason.NO_PARTITION, *output[1:5])
        self._current = current

    # --- state --------------------------------------------------------------------------------------------------------

    @property
    def stores(self) -> Mapping[str, StateStore]:
        """The stores of the task by name."""
        return self._stores

    def state_types(self, store: str) -> tuple[object, object]:
        """Return the types of keys and values in the changes of a store, to choose their codecs."""
        return (str, int) if store == NUMBERS else store_types(self.topology.stores[store])

    def drain_changes(self, drained: Collection[str] = ()) -> list[tuple[str, StoreChange]]:
        """Return the changes of the state since the last call: entries of stores that were not drained already, and numbers."""
        return [(name, change) for name, changes in self.drain_stores(drained) for change in changes]

    def drain_stores(self, drained: Collection[str] = ()) -> Iterator[tuple[str, Sequence[StoreChange]]]:
        """Yield the same changes by store."""
        yield from ((name, store.drain_changes()) for name, store in self._stores.items() if name not in drained)
        yield NUMBERS, list(self._numbers.drain(self.stream_time, self._stores))

    def numbers(self) -> Mapping[str, int]:
        """Return the numbers of the state by name; they are restored as changes of NUMBERS."""
        return self._numbers.current(self.stream_time, self._stores)

    def restore(self, changes: Iterable[tuple[str, StoreChange]]) -> None:
        """Apply drained changes, in the order in which they were drained."""
        by_store: dict[str, list[StoreChange]] = {}
        for name, change in changes:
            by_store.setdefault(name, []).append(change)
        if not by_store:
            return
        for name, number in by_store.pop(NUMBERS, ()):
            stream_time = self._numbers.restore(name, number, self._stores)
            if stream_time is not None:
                self.stream_time = stream_time
        for name, entries in by_store.items():
            self._stores[name].restore(entries)
        self.note_restored()

    def note_restored(self) -> None:
        """Let the operators forget what they know of their stores, since entries were restored."""
        for callback in self._restored:
            callback()

    def note_unencodable(self, error: Exception, store: str, key: Any) -> None:
        """Note in an exception which entry of a store could not be encoded."""
        node = next(node.name for node in self.topology.nodes if store in node.stores)
        note_failure(error, ErrorContext(f"{node}, store {store}", self.task_id, key=key), PROCESSING)

    def _extractor(self, node: SourceNode) -> Callable[[SourceRecord], int | None] | None:
        extractor = self._wall_clock_time if node.timestamp_extractor is wall_clock_time else node.timestamp_extractor
        return None if extractor is None else in_milliseconds(extractor, node.topic)

    def _wall_clock_time(self, _record: SourceRecord) -> int:
        return self.wall_clock_ms

    def _own_nodes(self) -> list[Any]:
        own = {*self.sub_topology.nodes, *self.sub_topology.global_nodes}
        return [node for node in self.topology.nodes if node.name in own]
