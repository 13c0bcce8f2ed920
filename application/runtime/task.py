"""One task: a partition of a sub-topology with its stores and its stream time, pure and deterministic."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from eddyline.application.operators.context import NO_TIME, CachedUpdate, Cell, DropReason, OperatorContext, TableForward
from eddyline.application.operators.output import Dropped, Output
from eddyline.application.ports.state_store import StateStore, StateStores, StoreChange, TimedStore
from eddyline.application.runtime.linking import link
from eddyline.application.runtime.options import Emit
from eddyline.application.runtime.punctuation import Punctuation
from eddyline.application.runtime.task_stores import make_store, store_types
from eddyline.application.runtime.update_cache import UpdateCache
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import SourceNode
from eddyline.application.topology.processor import PunctuationType
from eddyline.application.topology.records import Headers, RecordMetadata, SourceRecord
from eddyline.application.topology.sub_topologies import global_node_names
from eddyline.application.topology.timestamps import wall_clock_time

CELLS = "$cells"
"""The name under which a task's numbers travel among the changes of its stores."""


class Task(OperatorContext):
    """Runs the records of one partition of one sub-topology.

    Nothing in here reads a clock or knows an engine: the same records in the same order with the same steps of the wall
    clock give the same output.
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
        self._cells: dict[str, Cell] = {}
        self._drained_cells: dict[str, int] = {}
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
        self._sources = {
            node.topic: (entries[node.topic], self._extractor(node), node.name) for node in nodes if isinstance(node, SourceNode)
        }
        self._global_topics = {node.topic for node in nodes if isinstance(node, SourceNode) and node.global_}
        self._committing.reverse()
        self._by_stream_time = self._punctuations[PunctuationType.STREAM_TIME]
        self._by_wall_clock = self._punctuations[PunctuationType.WALL_CLOCK_TIME]

    @property
    def task_id(self) -> str:
        """Sub-topology and partition, as Kafka Streams writes them: `0_2`."""
        return f"{self.sub_topology.index}_{self.partition}"

    @property
    def topics(self) -> Sequence[str]:
        """The topics whose records it takes, repartition and global topics included."""
        return tuple(self._sources)

    # --- records and clocks -------------------------------------------------------------------------------------------

    def event_time(self, record: SourceRecord) -> int | None:
        """The event time of a record by its topic's extractor, None where it has none."""
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
        """Takes one record to its end: through every step of this task, and the punctuations that its time brings.

        `timestamp` is the log's; the topic's extractor may put another one in its place.
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
        """Sets the wall clock and makes the calls that are due by it, each at most once."""
        self.wall_clock_ms = now_ms
        self._punctuate(self._by_wall_clock, now_ms)

    def next_wall_clock_due(self) -> int | None:
        """When the next call by the wall clock is due, None where there is none."""
        return min((p.due.value for p in self._by_wall_clock if not p.cancelled), default=None)

    def commit(self) -> None:
        """Lets out what `emit="latest"` held back, in the order of the steps."""
        self._current = None
        for callback in self._committing:
            callback()

    def close(self) -> None:
        """Closes the processors, then the stores."""
        for callback in self._closing:
            callback()
        for store in self._stores.values():
            store.close()

    def _punctuate(self, punctuations: Iterable[Punctuation], now: int) -> None:
        self._current = None
        for punctuation in punctuations:
            punctuation.fire_if_due(now)

    # --- what leaves --------------------------------------------------------------------------------------------------

    def take_output(self) -> list[Output]:
        """The records given to topics since the last call, in order."""
        taken = self._output[:]
        self._output.clear()
        return taken

    def take_drops(self) -> Mapping[tuple[str, str], int]:
        """How many records were left out since the last call, by step and reason."""
        taken, self._drops = self._drops, Counter()
        return taken

    def take_dropped(self) -> list[Dropped]:
        """The records left out since the last call, where they are kept."""
        taken, self._dropped = self._dropped, []
        return taken

    # --- state --------------------------------------------------------------------------------------------------------

    @property
    def stores(self) -> Mapping[str, StateStore]:
        """The stores of this task by name."""
        return self._stores

    def state_types(self, store: str) -> tuple[object, object]:
        """The types of the keys and values among the changes of a store, for their codecs."""
        return (str, int) if store == CELLS else store_types(self.topology.stores[store])

    def drain_changes(self) -> list[tuple[str, StoreChange]]:
        """Everything that changed since the last call and must survive the process: store entries and numbers."""
        changes = [(name, change) for name, store in self._stores.items() for change in store.drain_changes()]
        for name, value in self._numbers().items():
            if self._drained_cells.get(name, NO_TIME) != value:
                self._drained_cells[name] = value
                changes.append((CELLS, StoreChange(name, value)))
        return changes

    def restore(self, changes: Iterable[tuple[str, StoreChange]]) -> None:
        """Puts back what was drained, in the order of draining."""
        by_store: dict[str, list[StoreChange]] = {}
        for name, change in changes:
            by_store.setdefault(name, []).append(change)
        for name, number in by_store.pop(CELLS, ()):
            self._drained_cells[name] = number
            self._restore_number(name, number)
        for name, entries in by_store.items():
            self._stores[name].restore(entries)

    def _numbers(self) -> dict[str, int]:
        numbers = {f"cell:{name}": cell.value for name, cell in self._cells.items()}
        numbers["task:stream-time"] = self.stream_time
        numbers.update({f"newest:{name}": s.newest for name, s in self._stores.items() if isinstance(s, TimedStore)})
        return numbers

    def _restore_number(self, name: str, number: int) -> None:
        kind, _, rest = name.partition(":")
        if kind == "task":
            self.stream_time = number
        elif kind == "cell":
            self.cell(rest).value = number
        else:
            store = self._stores[rest]
            if isinstance(store, TimedStore):
                store.observe(number)

    # --- what operators ask for ---------------------------------------------------------------------------------------

    def store(self, name: str) -> Any:
        """The store of this name."""
        return self._stores[name]

    def cell(self, name: str) -> Cell:
        """The number of this name, NO_TIME at first."""
        return self._cells.setdefault(name, Cell(NO_TIME))

    def emission(self, step: str, forward: TableForward) -> TableForward:
        """Forwards at once, or holds the latest update of each key until the commit; steps that forward to one place together."""
        node = self.topology.by_name[step]
        if self._emit == "every-update" or not getattr(node, "caching", True):
            return forward
        held = self._cached.get(forward)
        if held is None:
            store = getattr(node, "store", None) or step
            held = self._cached[forward] = UpdateCache(forward, self._cached_in.setdefault(store, {}))
            self.on_commit(held.flush)
        return held.update

    def cached_updates(self, store: str) -> Mapping[Any, CachedUpdate]:
        """The updates of the table in a store that wait for the commit, by key."""
        return self._cached_in.setdefault(store, {})

    @property
    def emits_latest(self) -> bool:
        """Whether only the latest update of each key leaves a step, when the task commits."""
        return self._emit == "latest"

    def on_commit(self, callback: Callable[[], None]) -> None:
        """Calls back at every commit; steps are linked last to first, and called back first to last."""
        self._committing.append(callback)

    def is_shared(self, store: str) -> bool:
        """Whether more than one step uses the store."""
        return sum(store in node.stores for node in self.topology.nodes) > 1

    def drop(self, node: str, reason: str, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        """Counts a record that is left out."""
        self._drops[node, reason] += 1
        if self._keep_dropped:
            self._dropped.append(Dropped(node, reason, key, value, timestamp, headers, self.metadata))

    @property
    def output(self) -> list[Output]:
        """The list that sinks append outputs to."""
        return self._output

    def schedule(self, name: str, interval_ms: int, kind: PunctuationType, callback: Callable[[int], None]) -> Punctuation:
        """Calls back every `interval_ms`: by stream time from 0 on, by the wall clock from one interval after now on."""
        due = self.cell(f"punctuation:{name}")
        if due.value == NO_TIME:
            due.value = 0 if kind is PunctuationType.STREAM_TIME else self.wall_clock_ms + interval_ms
        punctuation = Punctuation(interval_ms, callback, due)
        self._punctuations[kind].append(punctuation)
        return punctuation

    def on_close(self, callback: Callable[[], None]) -> None:
        """Calls back when the task is closed."""
        self._closing.append(callback)

    def current_stream_time_ms(self) -> int:
        """The greatest timestamp that the task has seen, NO_TIME before the first."""
        return self.stream_time

    def current_system_time_ms(self) -> int:
        """The wall clock, as the engine last told it."""
        return self.wall_clock_ms

    @property
    def metadata(self) -> RecordMetadata | None:
        """Where the record that is being processed came from; None during punctuation and commit."""
        return None if self._current is None else RecordMetadata(*self._current)

    def _extractor(self, node: SourceNode) -> Callable[[SourceRecord], int | None] | None:
        return self._wall_clock_time if node.timestamp_extractor is wall_clock_time else node.timestamp_extractor

    def _wall_clock_time(self, _record: SourceRecord) -> int:
        return self.wall_clock_ms

    def _own_nodes(self) -> list[Any]:
        own = set(self.sub_topology.nodes)
        used = {store for name in own for store in self.topology.by_name[name].stores}
        global_steps = global_node_names(self.topology.nodes)
        needed = {
            name
            for node in self.topology.nodes
            if node.name in global_steps and used.intersection(node.stores)
            for name in (node.name, *node.parents)
        }
        return [node for node in self.topology.nodes if node.name in own or node.name in needed]
