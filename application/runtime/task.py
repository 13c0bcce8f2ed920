"""A task: one partition of a sub-topology, with its stores and its stream time; pure and deterministic."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from eddyline.application.operators.context import NO_TIME, CachedUpdate, Cell, DropReason, OperatorContext, TableForward
from eddyline.application.operators.output import Dropped, Output
from eddyline.application.ports.state_store import StateStore, StateStores, StoreChange
from eddyline.application.runtime.linking import link
from eddyline.application.runtime.punctuation import Punctuation
from eddyline.application.runtime.task_state import NUMBERS, TaskNumbers
from eddyline.application.runtime.task_stores import make_store, store_types
from eddyline.application.runtime.update_cache import UpdateCache
from eddyline.application.topology import Topology
from eddyline.application.topology.by_topic import ByTopic
from eddyline.application.topology.nodes import SourceNode
from eddyline.application.topology.processor import PunctuationType
from eddyline.application.topology.records import Headers, RecordMetadata, SourceRecord
from eddyline.application.topology.timestamps import wall_clock_time
from eddyline.application.topology.types import Emit


class Task(OperatorContext):
    """Processes the records of one partition of one sub-topology.

    A task reads no clock and knows no engine: the same records in the same order, with the same wall-clock times, give the
    same output.
    """

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
    ) -> None:
        self.topology = topology
        self.sub_topology = topology.sub_topologies[sub_topology]
        self.partition = partition
        self.stream_time = NO_TIME
        self.wall_clock_ms = wall_clock_ms
        self._emit = emit
        self._keep_dropped = keep_dropped
        self._numbers = TaskNumbers()
        self._cached: dict[TableForward, UpdateCache] = {}
        self._cached_in: dict[str, dict[Any, CachedUpdate]] = {}
        self._committing: list[Callable[[], None]] = []
        self._output: list[Output] = []
        self._drops: Counter[tuple[str, str]] = Counter()
        self._dropped: list[Dropped] = []
        self._closing: list[Callable[[], None]] = []
        self._punctuations: dict[PunctuationType, list[Punctuation]] = {kind: [] for kind in PunctuationType}
        self._current: tuple[str, int, int, int, Headers] | None = None

        nodes = self._own_nodes()
        self._stores: dict[str, StateStore] = {
            name: make_store(stores, topology.stores[name]) for name in dict.fromkeys(n for node in nodes for n in node.stores)
        }
        entries = link(nodes, self)
        sources = [node for node in nodes if isinstance(node, SourceNode)]
        self._sources = ByTopic({node.topic: (entries[node.topic], self._extractor(node), node.name) for node in sources}, nodes)
        self._global_topics = {node.topic for node in nodes if isinstance(node, SourceNode) and node.global_}
        self._committing.reverse()
        self._by_stream_time = self._punctuations[PunctuationType.STREAM_TIME]
        self._by_wall_clock = self._punctuations[PunctuationType.WALL_CLOCK_TIME]

    @property
    def task_id(self) -> str:
        """Sub-topology and partition in the notation of Kafka Streams, such as `0_2`."""
        return f"{self.sub_topology.index}_{self.partition}"

    @property
    def topics(self) -> Sequence[str]:
        """The topics whose records the task processes, including repartition topics and those of global tables."""
        return tuple(self._sources)

    # --- records and clocks -------------------------------------------------------------------------------------------

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
        entry, extractor, step = self._sources[topic]
        if extractor is not None:
            found = extractor(SourceRecord(topic, partition, offset, timestamp, key, value, headers))
            timestamp = NO_TIME if found is None else found
        self._current = (topic, partition, offset, timestamp, headers)
        if timestamp < 0:
            self.drop(step, DropReason.INVALID_TIMESTAMP, key, value, timestamp, headers)
            return
        if timestamp > self.stream_time and topic not in self._global_topics:
            self.stream_time = timestamp
        entry(key, value, timestamp, headers)
        if self._by_stream_time:
            self._punctuate(self._by_stream_time, self.stream_time)

    def advance_wall_clock(self, now_ms: int) -> None:
        """Set the wall clock and run the wall-clock punctuations that are due, each at most once."""
        self.wall_clock_ms = now_ms
        self._punctuate(self._by_wall_clock, now_ms)

    def next_wall_clock_due(self) -> int | None:
        """Return the time of the next wall-clock punctuation, None if there is none."""
        return min((p.due.value for p in self._by_wall_clock if not p.cancelled), default=None)

    def commit(self) -> None:
        """Forward the updates that tables have cached, in the order of the nodes."""
        self._current = None
        for callback in self._committing:
            callback()

    def close(self) -> None:
        """Close the processors, then the stores."""
        for callback in self._closing:
            callback()
        for store in self._stores.values():
            store.close()

    def _punctuate(self, punctuations: Iterable[Punctuation], now: int) -> None:
        self._current = None
        for punctuation in punctuations:
            punctuation.fire_if_due(now)

    # --- output --------------------------------------------------------------------------------------------------

    def take_output(self) -> list[Output]:
        """Return the records emitted to topics since the last call, in order."""
        taken = self._output[:]
        self._output.clear()
        return taken

    def take_drops(self) -> Mapping[tuple[str, str], int]:
        """Return the number of records dropped since the last call, by node and reason."""
        taken, self._drops = self._drops, Counter()
        return taken

    def take_dropped(self) -> list[Dropped]:
        """Return the records dropped since the last call; none unless the task was created with `keep_dropped`."""
        taken, self._dropped = self._dropped, []
        return taken

    # --- state --------------------------------------------------------------------------------------------------------

    @property
    def stores(self) -> Mapping[str, StateStore]:
        """The stores of the task by name."""
        return self._stores

    def state_types(self, store: str) -> tuple[object, object]:
        """Return the types of keys and values in the changes of a store, to choose their codecs."""
        return (str, int) if store == NUMBERS else store_types(self.topology.stores[store])

    def drain_changes(self) -> list[tuple[str, StoreChange]]:
        """Return the changes of the state since the last call: entries of stores, and numbers."""
        changes = [(name, change) for name, store in self._stores.items() for change in store.drain_changes()]
        changes += [(NUMBERS, change) for change in self._numbers.drain(self.stream_time, self._stores)]
        return changes

    def restore(self, changes: Iterable[tuple[str, StoreChange]]) -> None:
        """Apply drained changes, in the order in which they were drained."""
        by_store: dict[str, list[StoreChange]] = {}
        for name, change in changes:
            by_store.setdefault(name, []).append(change)
        for name, number in by_store.pop(NUMBERS, ()):
            stream_time = self._numbers.restore(name, number, self._stores)
            if stream_time is not None:
                self.stream_time = stream_time
        for name, entries in by_store.items():
            self._stores[name].restore(entries)

    # --- context of the operators ---------------------------------------------------------------------------------------

    def store(self, name: str) -> Any:
        """Return the store of this name."""
        return self._stores[name]

    def cell(self, name: str) -> Cell:
        """Return the cell of this name; its value is NO_TIME at first."""
        return self._numbers.cell(name)

    def emission(self, step: str, forward: TableForward) -> TableForward:
        """Return `forward`, or a cache in front of it if the table is cached; nodes with the same `forward` share the cache."""
        if not self.is_cached(step):
            return forward
        node = self.topology.by_name[step]
        cache = self._cached.get(forward)
        if cache is None:
            store = getattr(node, "store", None) or step
            cache = self._cached[forward] = UpdateCache(forward, self._cached_in.setdefault(store, {}))
            self.on_commit(cache.flush)
        return cache.update

    def cached_updates(self, store: str) -> Mapping[Any, CachedUpdate]:
        """Return the cached updates of the table in a store, by key."""
        return self._cached_in.setdefault(store, {})

    def is_cached(self, node: str) -> bool:
        """Return whether a table's node emits only the latest update per key, at each commit."""
        caching: bool | None = getattr(self.topology.by_name[node], "caching", None)
        return self._emit == "latest" if caching is None else caching

    @property
    def has_caches(self) -> bool:
        """Whether any table of the task emits only the latest update per key."""
        return self._emit == "latest" or any(getattr(node, "caching", None) for node in self.topology.nodes)

    @property
    def emits_latest(self) -> bool:
        """Whether tables forward only the last update of each key at commits, unless their nodes say otherwise."""
        return self._emit == "latest"

    def on_commit(self, callback: Callable[[], None]) -> None:
        """Register a callback for every commit; upstream nodes are called first."""
        self._committing.append(callback)

    def is_shared(self, store: str) -> bool:
        """Return whether several nodes use the store."""
        return sum(store in node.stores for node in self.topology.nodes) > 1

    def drop(self, node: str, reason: str, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        """Count a dropped record, and keep it if the task was created with `keep_dropped`."""
        self._drops[node, reason] += 1
        if self._keep_dropped:
            self._dropped.append(Dropped(node, reason, key, value, timestamp, headers, self.metadata))

    @property
    def output(self) -> list[Output]:
        """The list to which nodes append what they emit to topics."""
        return self._output

    def schedule(self, name: str, interval_ms: int, kind: PunctuationType, callback: Callable[[int], None]) -> Punctuation:
        """Schedule a callback every `interval_ms`: by stream time first at 0, by wall-clock time first one interval from now."""
        due = self.cell(f"punctuation:{name}")
        if due.value == NO_TIME:
            due.value = 0 if kind is PunctuationType.STREAM_TIME else self.wall_clock_ms + interval_ms
        punctuation = Punctuation(interval_ms, callback, due)
        self._punctuations[kind].append(punctuation)
        return punctuation

    def on_close(self, callback: Callable[[], None]) -> None:
        """Register a callback for when the task is closed."""
        self._closing.append(callback)

    def current_stream_time_ms(self) -> int:
        """Return the highest timestamp of the task's records so far, NO_TIME before the first one."""
        return self.stream_time

    def current_system_time_ms(self) -> int:
        """Return the wall-clock time, as set by the engine."""
        return self.wall_clock_ms

    @property
    def metadata(self) -> RecordMetadata | None:
        """The metadata of the record that is being processed; None during punctuation and commit."""
        return None if self._current is None else RecordMetadata(*self._current)

    def _extractor(self, node: SourceNode) -> Callable[[SourceRecord], int | None] | None:
        return self._wall_clock_time if node.timestamp_extractor is wall_clock_time else node.timestamp_extractor

    def _wall_clock_time(self, _record: SourceRecord) -> int:
        return self.wall_clock_ms

    def _own_nodes(self) -> list[Any]:
        own = {*self.sub_topology.nodes, *self.sub_topology.global_nodes}
        return [node for node in self.topology.nodes if node.name in own]
