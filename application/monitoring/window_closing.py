"""Why windows are open: what stream time closes them, and which source partitions it waits for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from eddyline.application.monitoring.idle_closing import IdleClosing
from eddyline.application.monitoring.observed_ends import LastAdvanced, ObservedEnds
from eddyline.application.monitoring.source_status import SourceStatus
from eddyline.application.monitoring.sources_of_tasks import sources_of_task
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.event_log import EventLog, TopicPartition
from eddyline.application.ports.read_model import EntryKey, StateProgress, StoredEntry
from eddyline.application.queries.answers import InvalidQueryError
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.queries.queryable_store import QueryableStore
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import listed
from eddyline.application.topology.nodes import SessionAggregateNode, SlidingAggregateNode, WindowAggregateNode
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.windows import SessionWindows, Windows

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
