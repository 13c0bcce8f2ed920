"""Why windows are open: what stream time closes them, and which source partitions it waits for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, NamedTuple, TypeAlias

from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import EventLog, TopicPartition, UnknownTopicError
from eddyline.application.ports.read_model import EntryKey, StateProgress, StoredEntry
from eddyline.application.queries.answers import InvalidQueryError
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.queries.queryable_store import QueryableStore
from eddyline.application.runtime.plan.upstream_sources import upstream_of
from eddyline.application.topology import Topology
from eddyline.application.topology.by_topic import ByTopic
from eddyline.application.topology.errors import listed
from eddyline.application.topology.nodes import SessionAggregateNode, SlidingAggregateNode, SourceNode, WindowAggregateNode
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.windows import SessionWindows, Windows


@dataclass(frozen=True)
class SourceStatus:
    """A source partition whose records advance the stream time of a task.

    Attributes:
        topic: The topic.
        partition: The partition.
        offset: The next offset to process.
        end: The end offset of the log.
        last_timestamp: The timestamp of the last record in the log, in ms since the epoch; None if that is not known.
        idle_since: The wall-clock time from which on no record came, as far as it was observed, in ms since the epoch; None if
            there are records to process.
        idle_timeout_ms: How long no record may come before stream time follows the wall clock; None for event time only.
    """

    topic: str
    partition: int
    offset: int
    end: int
    last_timestamp: int | None
    idle_since: int | None
    idle_timeout_ms: int | None

    @property
    def lag(self) -> int:
        """The number of offsets that were not processed yet."""
        return max(0, self.end - self.offset)


LastAdvanced: TypeAlias = Callable[[TopicPartition], int | None]
"""Returns the wall-clock time at which the end of a partition last advanced, in ms since the epoch, None if unknown."""

_TAIL: Final = 10
"""How many offsets before the end may hold the last record: markers of transactions take offsets, too."""


class ObservedEnd(NamedTuple):
    """The bounds of a partition in the log.

    Attributes:
        begin: The beginning offset.
        end: The end offset.
        last_timestamp: The timestamp of the last record in ms since the epoch, None if that is not known.
        since: The wall-clock time at which the end was found to have advanced, or was first observed, in ms since the epoch.
    """

    begin: int
    end: int
    last_timestamp: int | None
    since: int


class ObservedEnds:
    """Observes the ends of source partitions from call to call; `last_advanced` knows more, if there is one."""

    def __init__(self, log: EventLog, clock: Clock, last_advanced: LastAdvanced | None) -> None:
        self._log, self._clock, self._last_advanced = log, clock, last_advanced
        self._seen: dict[TopicPartition, ObservedEnd] = {}

    def partitions(self, topic: str) -> int:
        """Return the number of partitions of a topic, 0 if it does not exist."""
        try:
            return self._log.partitions(topic)
        except UnknownTopicError:
            return 0

    def observe(self, source: TopicPartition) -> ObservedEnd:
        """Return the present end of a partition. Raises UnknownTopicError."""
        begin, end = self._log.bounds(*source)
        seen = self._seen.get(source)
        if seen is None or seen.end != end:
            seen = ObservedEnd(begin, end, self._last_timestamp(source, begin, end), self._clock.now_ms())
            self._seen[source] = seen
        known = None if self._last_advanced is None else self._last_advanced(source)
        return seen._replace(begin=begin) if known is None else seen._replace(begin=begin, since=known)

    def _last_timestamp(self, source: TopicPartition, begin: int, end: int) -> int | None:
        records = chain.from_iterable(self._log.read(*source, max(begin, end - _TAIL), end))
        return next((record.timestamp for record in reversed(list(records)) if record.error is None), None)


class TaskSources(NamedTuple):
    """Where the records of a task come from.

    Attributes:
        direct: The partitions that the task reads itself.
        upstream: All partitions of the topics whose records reach the task through repartition topics.
    """

    direct: Sequence[TopicPartition]
    upstream: Sequence[TopicPartition]


def sources_of_task(topology: Topology, sub_topology: int, partition: int, partitions: Mapping[str, int]) -> TaskSources:
    """Return the source partitions of a task, without those of global tables, which do not advance stream time.

    Args:
        topology: The topology.
        sub_topology: The index of the sub-topology.
        partition: The partition of the task.
        partitions: The number of partitions of each source topic, also of those that match a pattern.
    """
    direct = [
        TopicPartition(topic, partition) for topic in _topics(topology, sub_topology, partitions) if partition < partitions[topic]
    ]
    upstream = [
        TopicPartition(topic, number)
        for index in _upstream(topology, sub_topology)
        for topic in _topics(topology, index, partitions)
        for number in range(partitions[topic])
    ]
    return TaskSources(direct, list(dict.fromkeys(found for found in upstream if found not in direct)))


def _upstream(topology: Topology, sub_topology: int) -> list[int]:
    """Return the indexes of the sub-topologies upstream of one, at any distance."""
    writers = {topic: sub.index for sub in topology.sub_topologies for topic in sub.repartition_sinks}
    found: dict[int, None] = {}
    pending = [sub_topology]
    while pending:
        for topic in topology.sub_topologies[pending.pop()].repartition_sources:
            if writers[topic] not in found:
                found[writers[topic]] = None
                pending.append(writers[topic])
    return list(found)


def _topics(topology: Topology, sub_topology: int, known: Mapping[str, int]) -> list[str]:
    """Return the source topics of a sub-topology among the known ones; those that match a pattern in its place."""
    found: list[str] = []
    for topic in topology.sub_topologies[sub_topology].source_topics:
        pattern = topology.source_patterns.get(topic)
        found += [topic] if pattern is None and topic in known else []
        found += [name for name in known if pattern is not None and pattern.fullmatch(name)]
    return list(dict.fromkeys(found))


class IdleClosing:
    """The idle timeouts of a topology, and what they do to the stores of its tasks."""

    def __init__(self, topology: Topology) -> None:
        self._topology, self._upstream = topology, upstream_of(topology)
        sources = [node for node in topology.nodes if isinstance(node, SourceNode)]
        self._sources = ByTopic({node.topic: node for node in sources}, topology.nodes)

    def timeout_ms(self, topic: str) -> int | None:
        """Return the idle timeout of a source topic, None for event time only."""
        return self._sources[topic].idle_timeout_ms

    def of_task(self, store: str, progress: StateProgress | None, sources: Sequence[SourceStatus]) -> Callable[[int], int | None]:
        """Return a function that returns, for a stream time, the wall-clock time at which it is reached if no record comes.

        It returns None if a source of the store's operator has records to process, or has no idle timeout.

        Args:
            store: The name of the store.
            progress: The progress of the task.
            sources: The source partitions of the task.
        """
        node = next(node for node in self._topology.nodes if store in node.stores)
        names, delay_ms, _ = self._upstream[node.name]
        own = [source for source in sources if self._sources[source.topic].name in names]
        if progress is None or progress.stream_time_ms is None or not all(map(_can_be_idle, own)) or not own:
            return lambda _time: None
        stream_time, wall_clock, delay_ms = progress.stream_time_ms, progress.time_ms, delay_ms - self._delay_of_task(node.name)
        active = max(source.idle_since or 0 for source in own)
        idle_from = max((source.idle_since or 0) + (source.idle_timeout_ms or 0) for source in own)
        follows_since = wall_clock if wall_clock >= idle_from else active
        return lambda time: max(idle_from, follows_since + time + delay_ms - stream_time)

    def _delay_of_task(self, node: str) -> int:
        """Return by how much the stream time of the task of a node stays behind that of sources upstream."""
        sub = next(sub for sub in self._topology.sub_topologies if node in sub.nodes)
        names = [name for name in sub.nodes if isinstance(self._topology.by_name[name], SourceNode)]
        return max((self._upstream[name].delay_ms for name in names), default=0)


def _can_be_idle(source: SourceStatus) -> bool:
    return not source.lag and source.idle_timeout_ms is not None and source.idle_since is not None


__all__ = ["LastAdvanced", "OpenWindow", "SourceStatus", "StoreWindows", "TaskWindows", "WindowClosing"]

_CHUNK: Final = 1_000
_MOST_ENTRIES: Final = 100_000
_LEAST: Final = -(1 << 63)


@dataclass(frozen=True)
class OpenWindow:
    """A window of some keys that still takes records.

    Attributes:
        start: The start of the window, in ms since the epoch.
        end: Its end; inclusive for sessions and sliding windows.
        closes_at: The stream time that closes it: end plus grace period, for sessions end plus gap plus grace period.
        keys: The number of keys that have this window.
        key: One of these keys.
        idle_closes_at: The wall-clock time from which an idle timeout closes it if no record comes; None if none will.
    """

    start: int
    end: int
    closes_at: int
    keys: int
    key: Any
    idle_closes_at: int | None = None


@dataclass(frozen=True)
class TaskWindows:
    """The open windows of one task, which is a partition of the store.

    Attributes:
        partition: The partition of the task.
        stream_time: The stream time of the task in ms since the epoch, None if it has processed no record.
        open: The number of open windows.
        windows: The windows that close first, in this order.
        direct: The source partitions that the task reads itself: a record in one of them with a timestamp of at least
            `closes_at` closes a window.
        upstream: The source partitions whose records reach the task through repartition topics: such a record must have a key
            whose hash chooses this task.
    """

    partition: int
    stream_time: int | None
    open: int
    windows: Sequence[OpenWindow]
    direct: Sequence[SourceStatus]
    upstream: Sequence[SourceStatus]

    @property
    def sources(self) -> Sequence[SourceStatus]:
        """All source partitions of the task."""
        return [*self.direct, *self.upstream]

    @property
    def behind(self) -> Sequence[SourceStatus]:
        """The source partitions with records that were not processed yet, the greatest lag first."""
        return sorted((source for source in self.sources if source.lag), key=lambda source: -source.lag)

    @property
    def idle(self) -> Sequence[SourceStatus]:
        """The source partitions without further records, the longest idle first."""
        return sorted(
            (source for source in self.sources if not source.lag),
            key=lambda source: (source.idle_since is None, source.idle_since or 0),
        )


@dataclass(frozen=True)
class StoreWindows:
    """The open windows of a store, and why they are open.

    Attributes:
        store: The name of the store.
        wait_ms: How far stream time must be past the end of a window to close it: the grace period, for sessions the gap too.
        tasks: The tasks by partition.
        complete: Whether all entries of the store were looked at; if not, there may be more windows.
    """

    store: str
    wait_ms: int
    tasks: Sequence[TaskWindows]
    complete: bool

    @property
    def open(self) -> int:
        """The number of open windows of all tasks."""
        return sum(task.open for task in self.tasks)


class WindowClosing:
    """Says why the windows of the stores of an application are open.

    Stream time is that of the last batch that wrote to the changelogs. An operator has reached the stream time of its task only
    if a record of that time has reached the operator, so a window that is closed here may close with the next record.

    Args:
        follower: Follows the changelogs of the application; its topology has the idle timeouts of the run.
        log: The event log with the source topics.
        clock: The wall clock.
        last_advanced: When the end of a partition last advanced, if a run observes that; by default it is observed from call to
            call, and partitions are idle from the first call on.
    """

    def __init__(
        self,
        follower: ChangelogFollower,
        log: EventLog,
        clock: Clock,
        *,
        last_advanced: LastAdvanced | None = None,
    ) -> None:
        self._follower = follower
        self._ends = ObservedEnds(log, clock, last_advanced)
        self._idle = IdleClosing(follower.topology)

    def stores(self) -> Sequence[str]:
        """Return the names of the stores with windows that close and that can be queried, sorted."""
        return sorted(name for name in self._follower.stores if _windows_of(self._follower.topology, name) is not None)

    def why_open(self, store: str, *, limit: int = 100) -> StoreWindows:
        """Return the open windows of a store, at most `limit` of each task.

        Raises:
            InvalidQueryError: the store has no windows that close, or has no changelog.
        """
        windows = _windows_of(self._follower.topology, store)
        if windows is None or store not in self._follower.stores:
            raise InvalidQueryError(f"store '{store}' has no windows that close; choose one of: {listed(self.stores())}")
        wait_ms = _wait_ms(windows)
        queryable, progress = self._follower.stores[store], self._follower.model.progress(store)
        count = self._follower.partitions(store)
        found, complete = self._open(queryable, progress, wait_ms)
        tasks = [
            self._task(store, number, progress.get(number), found.get(number, {}), wait_ms, limit) for number in range(count)
        ]
        return StoreWindows(store, wait_ms, tasks, complete)

    def _open(
        self, store: QueryableStore, progress: Mapping[int, StateProgress], wait_ms: int
    ) -> tuple[dict[int, dict[tuple[int, int], "_Keys"]], bool]:
        """Return the open windows by partition and bounds, and whether all entries were looked at."""
        found: dict[int, dict[tuple[int, int], _Keys]] = {}
        stream_times = {number: reached.stream_time_ms for number, reached in progress.items()}
        looked_at = 0
        for entry in self._entries(store.spec.name):
            looked_at += 1
            stream_time = stream_times.get(entry.partition)
            end = entry.found_by.end
            if stream_time is not None and end + 1 + wait_ms <= stream_time:
                continue
            window = store.row(entry).window
            if window is None or (stream_time is not None and window.end + wait_ms <= stream_time):
                continue
            by_bounds = found.setdefault(entry.partition, {})
            keys = by_bounds.get(window)
            by_bounds[window] = _Keys(entry, 1) if keys is None else keys._replace(number=keys.number + 1)
        return found, looked_at < _MOST_ENTRIES

    def _entries(self, store: str) -> Iterator[StoredEntry]:
        first, partition, looked_at = EntryKey(b"", _LEAST, _LEAST), -1, 0
        while looked_at < _MOST_ENTRIES:
            found = self._follower.model.scan(store, first, None, _CHUNK, after_partition=partition)
            yield from found
            looked_at += len(found)
            if len(found) < _CHUNK:
                return
            first, partition = found[-1].found_by, found[-1].partition

    def _task(
        self,
        store: str,
        number: int,
        progress: StateProgress | None,
        found: Mapping[tuple[int, int], "_Keys"],
        wait_ms: int,
        limit: int,
    ) -> TaskWindows:
        topology, queryable = self._follower.topology, self._follower.stores[store]
        sub = next(sub.index for sub in topology.sub_topologies if store in sub.stores)
        offsets = {} if progress is None else progress.offsets
        partitions = {topic: len(numbers) for topic, numbers in offsets.items()}
        for spec in topology.source_topics:
            partitions.setdefault(spec.name, self._ends.partitions(spec.name))
        sources = sources_of_task(topology, sub, number, partitions)
        direct, upstream = ([self._status(source, offsets) for source in each] for each in sources)
        idle_closing = self._idle.of_task(store, progress, [*direct, *upstream])
        windows = [
            OpenWindow(start, end, end + wait_ms, keys.number, queryable.row(keys.first).key, idle_closing(end + wait_ms))
            for (start, end), keys in sorted(found.items(), key=lambda item: item[0][::-1])[:limit]
        ]
        stream_time = None if progress is None else progress.stream_time_ms
        return TaskWindows(number, stream_time, len(found), windows, direct, upstream)

    def _status(self, source: TopicPartition, offsets: Mapping[str, Sequence[int]]) -> SourceStatus:
        begin, end, timestamp, since = self._ends.observe(source)
        reached = dict(enumerate(offsets.get(source.topic, ()))).get(source.partition, begin)
        offset = min(max(reached, begin), end)
        return SourceStatus(
            *source, offset, end, timestamp, since if offset >= end else None, self._idle.timeout_ms(source.topic)
        )


class _Keys(NamedTuple):
    """The entry of the first key that has a window, and the number of keys."""

    first: StoredEntry
    number: int


def _windows_of(topology: Topology, store: str) -> Windows | None:
    """Return the windows of a store that an aggregation writes, None if it has none that close."""
    spec = topology.stores.get(store)
    if spec is None or spec.kind not in (StoreKind.WINDOW, StoreKind.SESSION):
        return None
    kinds = (WindowAggregateNode, SlidingAggregateNode, SessionAggregateNode)
    found = (node.windows for node in topology.nodes if isinstance(node, kinds) and node.store == store)
    windows: Windows | None = next(found, None)
    return None if windows is None or windows.closes_after_ms is None else windows


def _wait_ms(windows: Windows) -> int:
    """Return how far stream time must be past the end of a window to close it."""
    wait_ms = windows.closes_after_ms or 0
    return wait_ms + 1 if isinstance(windows, SessionWindows) else wait_ms
