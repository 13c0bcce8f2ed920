"""A task as its operators see it: stores, cells, output, punctuations and clocks."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from operator import length_hint
from typing import Any, NamedTuple

from eddyline.application.operators.columns import NO_ORIGIN, RecordColumns
from eddyline.application.operators.context import (
    NO_TIME,
    CachedUpdate,
    Cell,
    Forward,
    OperatorContext,
    ProcessMany,
    TableForward,
    UpdatesForward,
)
from eddyline.application.operators.output import Dropped, Output
from eddyline.application.operators.update_columns import UpdateColumns
from eddyline.application.ports.state_store import StateStore
from eddyline.application.runtime.input.record_queue import IncomingRecord
from eddyline.application.runtime.output.record_collector import ColumnsOutput
from eddyline.application.runtime.task.idle_sources import FollowingOperator
from eddyline.application.runtime.task.paths import Effect, Path, Paths, apply
from eddyline.application.runtime.task.state import TaskNumbers
from eddyline.application.topology import Topology
from eddyline.application.topology.metrics import Metrics
from eddyline.application.topology.nodes import RepartitionSinkNode, SinkNode, is_cached
from eddyline.application.topology.processor import PunctuationType
from eddyline.application.topology.records import Headers, RecordMetadata
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.types import Emit


class UpdateCache:
    """Keeps the latest update of each key until the commit, with the old value of the first update since the last commit.

    `cached` is where the updates are kept: new value, old value, timestamp (ms) and headers, by key.
    """

    __slots__ = ("_cached", "_forward", "_forward_all")

    def __init__(self, forward: TableForward, forward_all: UpdatesForward, cached: dict[Any, CachedUpdate]) -> None:
        self._forward, self._forward_all = forward, forward_all
        self._cached = cached

    def update(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Replace the key's cached update."""
        before = self._cached.get(key)
        self._cached[key] = (new, old if before is None else before[1], timestamp, headers)

    def add(self, key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        """Cache an update that does not replace the one that is cached for the key: that one is forwarded first."""
        before = self._cached.get(key)
        if before is not None:
            self._forward(key, *before)
        self._cached[key] = (new, old, timestamp, headers)

    def flush(self) -> None:
        """Forward the cached updates, in the order in which their keys were first updated."""
        cached = dict(self._cached)
        self._cached.clear()
        if cached:
            self._forward_all(UpdateColumns.of_commit(list(cached), *zip(*cached.values(), strict=True)))


def one_by_one(forward: TableForward) -> UpdatesForward:
    """Return a function that forwards each of many updates."""

    def forward_each(updates: UpdateColumns) -> None:
        for update in updates.each():
            forward(*update)

    return forward_each


def changes(forward: TableForward) -> TableForward:
    """Return a function that forwards an update unless there was no value and is none."""

    def forward_change(key: Any, new: Any, old: Any, timestamp: int, headers: Headers) -> None:
        if new is not None or old is not None:
            forward(key, new, old, timestamp, headers)

    return forward_change


def many_changes(forward: UpdatesForward) -> UpdatesForward:
    """Return a function that does so with many updates."""

    def forward_changes(updates: UpdateColumns) -> None:
        changed = [new is not None or old is not None for new, old in zip(updates.new, updates.old, strict=True)]
        forward(updates if all(changed) else updates.only(changed))

    return forward_changes


@dataclass(slots=True)
class Punctuation:
    """A call every `interval_ms` for a node; `due` has the time of the next one and is part of the state."""

    node: str
    interval_ms: int
    callback: Callable[[int], None]
    due: Cell
    cancelled: bool = False

    def cancel(self) -> None:
        """Cancel all further calls."""
        self.cancelled = True

    def realign(self, now: int) -> None:
        """Move the next call closer by multiples of the interval, if it is more than one away since the clock was set back."""
        excess = self.due.value - now - self.interval_ms
        if excess > 0:
            self.due.value -= -(-excess // self.interval_ms) * self.interval_ms

    def take_due(self, now: int) -> bool:
        """Return whether a call is due, and schedule the next one a multiple of the interval later; missed calls are skipped."""
        due = self.due.value
        if self.cancelled or now < due:
            return False
        self.due.value = due + ((now - due) // self.interval_ms + 1) * self.interval_ms
        return True


class _Processing(NamedTuple):
    """The keys that are left of many records that an operator processes, and the origins of all of them."""

    left: Iterator[Any]
    origins: Sequence[int]

    @property
    def origin(self) -> int:
        """The origin of the record that the operator is processing."""
        return self.origins[len(self.origins) - length_hint(self.left) - 1]


class TaskContext(OperatorContext):
    """What the operators of one task share."""

    def __init__(
        self, topology: Topology, task_id: str, emit: Emit, *, wall_clock_ms: int, keep_dropped: bool, count_by_node: bool
    ) -> None:
        self.topology = topology
        self.stream_time = NO_TIME
        self.wall_clock_ms = wall_clock_ms
        self.commit_requested = False
        self._task_id = task_id
        self._emit = emit
        self._keep_dropped = keep_dropped
        self._numbers = TaskNumbers()
        self._stores: dict[str, StateStore] = {}
        self._cached: dict[TableForward, UpdateCache] = {}
        self._cached_in: dict[str, dict[Any, CachedUpdate]] = {}
        self._committing: list[Callable[[], None]] = []
        self._output: list[Output] = []
        self._columns: list[ColumnsOutput] = []
        self._drops: Counter[tuple[str, str]] = Counter()
        self._late_windows: Counter[str] = Counter()
        self._metrics: dict[str, Metrics] = {}
        self._dropped: list[Dropped] = []
        self._closing: list[Callable[[], None]] = []
        self._processed: Counter[str] = Counter()
        self._paths = Paths(self, self._append_columns, self._noting, self._processed if count_by_node else None)
        self._together_by: dict[str, ProcessMany] = {}
        self._together: Sequence[IncomingRecord] = ()
        self._processing: _Processing | None = None
        self._restored: list[Callable[[], None]] = []
        self._following: list[FollowingOperator] = []
        self._punctuations: dict[PunctuationType, list[Punctuation]] = {kind: [] for kind in PunctuationType}
        self._current: tuple[str, int, int, int, Headers] | None = None

    @property
    def task_id(self) -> str:
        """Sub-topology and partition in the notation of Kafka Streams, such as `0_2`."""
        return self._task_id

    def store(self, name: str) -> Any:
        """Return the store of this name."""
        return self._stores[name]

    def cell(self, name: str) -> Cell:
        """Return the cell of this name; its value is NO_TIME at first."""
        return self._numbers.cell(name)

    def keep_time(self, node: str, stream_time: Cell, emit: Callable[[], None] | None = None) -> None:
        """Register the stream time of an operator, which may follow the wall clock."""
        self._following.append(FollowingOperator(node, stream_time, emit))

    def emission(self, step: str, forward: TableForward) -> TableForward:
        """Return `forward`, or a cache in front of it if the table is cached; nodes with the same `forward` share the cache."""
        if not self.is_cached(step):
            return forward
        node = self.topology.by_name[step]
        cache = self._cached.get(forward)
        if cache is None:
            store = getattr(node, "store", None) or step
            forward_one, forward_all = self.isolated(changes(forward)), self.updates_forward(step, forward)
            cache = self._cached[forward] = UpdateCache(forward_one, forward_all, self._updates_in(store))
            self.on_commit(cache.flush)
        return cache.update

    def separate_emission(self, step: str, forward: TableForward) -> TableForward:
        """Return `forward`, or what adds an update to its cache without replacing another one."""
        emit = self.emission(step, forward)
        return self._cached[forward].add if self.is_cached(step) else emit

    def cached_updates(self, store: str) -> Mapping[Any, CachedUpdate]:
        """Return the cached updates of the table in a store, by key."""
        return self._updates_in(store)

    def scratch(self) -> dict[Any, Any]:
        """Return a new dictionary for what an operator remembers until the next commit."""
        return {}

    def isolated(self, forward: Forward) -> Forward:
        """Return `forward` as it is: an exception ends the run anyway."""
        return forward

    def is_versioned(self, store: str) -> bool:
        """Return whether the store of this name is versioned."""
        return self.topology.stores[store].kind is StoreKind.VERSIONED

    def is_cached(self, node: str) -> bool:
        """Return whether a table's node emits only the latest update per key, at each commit."""
        return is_cached(self.topology.by_name[node], self._emit)

    @property
    def has_caches(self) -> bool:
        """Whether any table of the task emits only the latest update per key."""
        return self._emit == "latest" or any(getattr(node, "caching", None) for node in self.topology.nodes)

    @property
    def emits_latest(self) -> bool:
        """Whether tables forward only the last update of each key at commits, unless their nodes say otherwise."""
        return self._emit == "latest"

    def on_commit(self, callback: Callable[[], None], node: str | None = None) -> None:
        """Register a callback for every commit; upstream nodes are called first. That of a `node` may fail by itself."""
        self._committing.append(callback if node is None else partial(self._unit, callback, node))

    def request_commit(self) -> None:
        """Note that the engine shall commit as soon as possible."""
        self.commit_requested = True

    @abstractmethod
    def _unit(self, unit: Callable[[], None], node: str) -> None:
        """Run something that no record causes for a node."""

    def process_many(self, node: str, process_all: ProcessMany) -> None:
        """Register a function that processes many records of a node."""
        self._together_by[node] = process_all
        self._paths.end(node, process_all)

    def _noting(self, process_all: ProcessMany) -> ProcessMany:
        """Return a function that notes which of many records is being processed."""

        def process(records: RecordColumns) -> None:
            before, keys = self._processing, records.keys
            left = iter(keys if isinstance(keys, (list, tuple)) else list(keys))
            self._processing = _Processing(left, records.origins)
            process_all(records._replace(keys=left))  # type: ignore[arg-type] # they are read once
            self._processing = before

        return process

    def columns_forward(self, node: str, forward: TableForward) -> UpdatesForward | None:
        """Return the function that forwards many updates of a table's node, None if it must forward one by one."""
        path = None if self.is_cached(node) else self._paths.after(node)
        if path is None:
            return None

        def forward_each(updates: UpdateColumns) -> None:
            for update, origin in zip(updates.each(), updates.origins, strict=True):
                self._processing = _Processing(iter(()), (origin,))
                forward(*update)

        return _together(path, forward_each)

    def updates_forward(self, node: str, forward: TableForward) -> UpdatesForward:
        """Return a function that forwards many updates: together, if the nodes downstream can take them so.

        Those of rows that neither existed nor exist are left out, as in Kafka Streams (`CachingKeyValueStore`).
        """
        each = one_by_one(self.isolated(forward))
        path = self._paths.after(node)
        return many_changes(each if path is None else self.together_or_each(path, each))

    def together_or_each(self, path: Path, each: UpdatesForward) -> UpdatesForward:
        """Return a function that forwards many updates together, or by `each` to find the one for which a function fails."""
        return _together(path, each)

    def as_one_or_each(self, node: str, whole: Callable[[], None], each: Iterable[tuple[Any, Callable[[], None]]]) -> None:
        """Do the whole: an exception ends the run anyway."""
        del node, each
        whole()

    def on_restore(self, callback: Callable[[], None]) -> None:
        """Register a callback for when changes were restored."""
        self._restored.append(callback)

    def is_shared(self, store: str) -> bool:
        """Return whether several nodes use the store."""
        return sum(store in node.stores for node in self.topology.nodes) > 1

    def drop(
        self, node: str, reason: str, key: Any, value: Any, timestamp: int, headers: Headers, late_windows: int = 0, /
    ) -> None:
        """Count a dropped record, and keep it if the task was created with `keep_dropped`."""
        self._drops[node, reason] += 1
        if late_windows:
            self._late_windows[node] += late_windows
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
        punctuation = Punctuation(name.rpartition(":")[0], interval_ms, callback, due)
        self._punctuations[kind].append(punctuation)
        return punctuation

    def metrics(self, node: str) -> Metrics:
        """Return the metrics of a node with user-defined code."""
        return self._metrics.setdefault(node, Metrics(node))

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
        if self._current is not None:
            return RecordMetadata(*self._current)
        record = self._processed_now()
        return None if record is None else RecordMetadata(*record[:4], record.headers)

    def _processed_now(self) -> IncomingRecord | None:
        """Return which of the records that are processed together is the origin of the one that is being processed, if one is."""
        origin = NO_ORIGIN if self._processing is None else self._processing.origin
        return None if origin == NO_ORIGIN else self._together[origin]

    def call_for(self, metadata: RecordMetadata, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function returns that sees this metadata, in place of that of the record that is being processed."""
        current, self._current = self._current, metadata
        try:
            return function(*arguments)
        finally:
            self._current = current

    def _append_columns(self, sink: SinkNode | RepartitionSinkNode, records: RecordColumns) -> None:
        """Append records of a sink to the output by column, or one by one if there are others before them."""
        columns = ColumnsOutput(str(sink.topic), sink, records)
        if self._output:
            self._output.extend(columns.outputs())
        else:
            self._columns.append(columns)

    def _updates_in(self, store: str) -> dict[Any, CachedUpdate]:
        updates = self._cached_in.get(store)
        if updates is None:
            updates = self._cached_in[store] = self.scratch()
        return updates


def _together(path: Path, each: UpdatesForward) -> UpdatesForward:
    """Return the function that forwards many updates; `each` does so one by one, to find the one for which a function fails."""

    def forward_all(updates: UpdateColumns) -> None:
        effects: list[Effect] = []
        try:
            path.through(updates, effects)
        except Exception:  # noqa: BLE001 - nothing is changed yet: each raises it where it belongs, for its update
            each(updates)
        else:
            apply(effects)

    return forward_all
