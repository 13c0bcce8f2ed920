"""Follows the changelogs of the stores of an application into a read model."""

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from threading import Condition, Event, Lock, RLock, Thread
from types import MappingProxyType
from typing import Any, Final

from eddyline.application.ports.codec import Codec, Codecs
from eddyline.application.ports.event_log import EventLog, LogRecord, TopicPartition
from eddyline.application.ports.instance_group import InstanceGroup
from eddyline.application.ports.read_model import ChangelogPart, EntryChange, ReadModel, StateProgress
from eddyline.application.queries.answers import IncompleteError, QueryError
from eddyline.application.queries.queryable_store import QueryableStore
from eddyline.application.queries.subscriptions import ChangeFeed
from eddyline.application.runtime.plan.changelogs import ChangelogProgress, changelog_topic, decode
from eddyline.application.topology import Topology
from eddyline.application.topology.types import Names

_SPAN_MS: Final = 30_000
_KEPT: Final = 1_000
_LEAST_SAMPLES: Final = 2


class Throughput:
    """The records per second that one task has read over its last 30 seconds of progress; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._samples: deque[tuple[int, int]] = deque(maxlen=_KEPT)

    def add(self, progress: ChangelogProgress) -> None:
        """Add the progress of a batch; one that is not later than the last one, as in another changelog, starts again."""
        if not progress.offsets:
            return
        sample = progress.time_ms, sum(map(sum, progress.offsets.values()))
        with self._lock:
            if self._samples and (sample[0] < self._samples[-1][0] or sample[1] < self._samples[-1][1]):
                self._samples.clear()
            self._samples.append(sample)
            while sample[0] - self._samples[0][0] > _SPAN_MS and len(self._samples) > _LEAST_SAMPLES:
                self._samples.popleft()

    def per_second(self, now_ms: int) -> float | None:
        """Return the records per second, None if that is not known: before the second batch.

        Args:
            now_ms: The wall-clock time in ms since the epoch; long after the last batch the throughput is 0.
        """
        with self._lock:
            if len(self._samples) < _LEAST_SAMPLES:
                return None
            (begin, first), (end, last) = self._samples[0], self._samples[-1]
        if now_ms - end > _SPAN_MS:
            return 0.0
        return (last - first) * 1_000 / max(end - begin, 1)


LOGGER: Final = logging.getLogger("eddyline.queries")

_RETRY_S: Final = 1.0
_FULL_PART: Final = 5_000
"""The number of changes from which a part ends at the next progress record."""
_LARGEST_PART: Final = 50_000


class ChangelogFollower:
    """Applies the changelogs of the stores of a topology to a read model, from the positions of the model on.

    Stores are found when their changelogs are. A changelog that was deleted and created again is read from the beginning.

    Args:
        topology: The topology of the application.
        application_id: The application.
        log: The event log with the changelogs.
        codecs: The codecs of the flow.
        model: The read model. Several followers, also in other processes, may apply to one model.
        poll_ms: The time between two reads of the changelogs in ms.
        discovery_ms: The least time between two looks for changelogs that were created, or created again, in ms.
        group: The instances that share the partitions; None if this one holds them all.
    """

    def __init__(
        self,
        topology: Topology,
        application_id: str,
        log: EventLog,
        codecs: Codecs,
        model: ReadModel,
        *,
        poll_ms: int = 50,
        discovery_ms: int = 2_000,
        group: InstanceGroup | None = None,
    ) -> None:
        self.topology, self.model = topology, model
        self._log, self._poll_s, self._discovery_s = log, poll_ms / 1_000, discovery_ms / 1_000
        self._topics = {name: changelog_topic(application_id, name) for name in topology.stores}
        self._codecs = codecs.configured(topology.type_choices)
        self._stores: dict[str, QueryableStore] = {}
        self._partitions: dict[str, int] = {}
        self._group = group
        self._held: dict[str, Sequence[int]] = {}
        self._goals: dict[str, dict[int, int]] = {}
        self._throughput: dict[str, Throughput] = {}
        self._discovered = float("-inf")
        self._following = RLock()
        self._applied = Condition()
        self._stopping = Event()
        self._thread: Thread | None = None
        self.failure: Exception | None = None
        self.feed = ChangeFeed()

    @property
    def names(self) -> Names:
        """What fields are called in the rows of stores."""
        return self._codecs.shown_names()

    def shown(self, found: Any) -> Codec:
        """Return the codec of values of a type as they are shown. Raises UnsupportedTypeError."""
        return self._codecs.for_display(found)

    @property
    def topics(self) -> Mapping[str, str]:
        """The changelog topics by store, whether they exist or not."""
        return MappingProxyType(self._topics)

    @property
    def stores(self) -> Mapping[str, QueryableStore]:
        """The stores that have a changelog, by name."""
        return MappingProxyType(self._stores)

    def partitions(self, store: str) -> int:
        """Return the number of partitions of a store's changelog."""
        return self._partitions[store]

    def joining(self, store: str) -> bool:
        """Return whether this instance waits for its partitions of a store."""
        return store not in self._held

    def held(self, store: str) -> Sequence[int]:
        """Return the partitions of a store's changelog that this instance holds: the same object until they change.

        Raises:
            IncompleteError: this instance has no partitions yet, since it is joining the others.
        """
        try:
            return self._held[store]
        except KeyError:
            raise IncompleteError(
                f"this instance has no partitions of store '{store}' yet, since it is joining the other instances; try again"
            ) from None

    def records_per_second(self, store: str) -> float | None:
        """Return how many records of its source topics the flow reads, None if that is not known."""
        found = self._throughput.get(store)
        return None if found is None else found.per_second(time.time_ns() // 1_000_000)

    def restoring(self, store: str) -> bool:
        """Return whether the model is behind the ends that the partitions had when the follower found them, or was given them."""
        goals = self._goals.get(store)
        if self.joining(store):
            return True
        if goals and any(self.model.position(store, number) < goal for number, goal in goals.items()):
            return True
        if goals and self._goals.get(store) is goals:
            self._goals[store] = {}
        return False

    def start(self) -> None:
        """Follow the changelogs in a thread until `stop`; errors are logged and retried, and `failure` has the last one."""
        self._stopping.clear()
        self._thread = Thread(target=self._run, name="changelogs", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after the part that it is applying."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._stopping.clear()
        self._notify()

    def discover(self) -> None:
        """Find the stores that have a changelog now, and start again those whose changelog is another one."""
        with self._following:
            existing = set(self._log.topics())
            found = {name: topic for name, topic in self._topics.items() if topic in existing}
            identity = self._log.identity(found.values())
            for name in self._stores.keys() - found.keys():
                del self._stores[name], self._partitions[name]
                self._held.pop(name, None)
                self._goals.pop(name, None)
            for name, topic in found.items():
                changelog_id = f"{identity.kind}:{identity.cluster}:{identity.topics.get(topic, '')}"
                if self.model.changelog_id(name) != changelog_id:
                    self.model.clear(name, changelog_id)
                    self._stores.pop(name, None)
                self._partitions[name] = self._log.partitions(topic)
                if name not in self._stores:
                    self._held.pop(name, None)
                    self._take(name)
                    self._stores[name] = QueryableStore(self.topology.stores[name], self._codecs)
            self._discovered = time.monotonic()

    def _take(self, name: str) -> None:
        """Hold the partitions of a store that this instance has now, and remove those that it has no longer."""
        topic, count, before = self._topics[name], self._partitions[name], self._held.get(name)
        if self._group is None:
            now: Sequence[int] = range(count)
        else:
            held = self._group.held()
            if held is None:
                self._held.pop(name, None)
                return
            now = [number for number in range(count) if TopicPartition(topic, number) in held]
        if before is not None and list(before) == list(now):
            return
        goals = {number: goal for number, goal in self._goals.get(name, {}).items() if number in now}
        added = [number for number in now if before is None or number not in before]
        self._goals[name] = goals | {number: self._log.end_offset(topic, number) for number in added}
        self._held[name] = now
        for number in range(count):
            if number not in now and self.model.position(name, number):
                self.model.remove(name, number)

    def catch_up(self, *stores: str) -> None:
        """Apply everything that the changelogs of these stores have now; without names, those of all stores.

        Changelogs are looked for if that has not been done for `discovery_ms`, or one of these stores has none.
        """
        with self._following:
            if not (self._discovered_lately() and self._stores and self._stores.keys() >= set(stores)):
                self.discover()
            self._follow([name for name in stores if name in self._stores] or None)

    def _discovered_lately(self) -> bool:
        return time.monotonic() - self._discovered < self._discovery_s

    def wait_until(self, reached: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until `reached` is true of the model, and return whether it is; a follower without a thread follows meanwhile."""
        deadline = time.monotonic() + timeout_s
        while True:
            if self._thread is None:
                self.catch_up()
            with self._applied:
                if reached():
                    return True
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._applied.wait(left if self._thread is not None else min(left, self._poll_s))

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                if not self._discovered_lately():
                    self.discover()
                self._follow()
                self.failure = None
                self._stopping.wait(self._poll_s)
            except Exception as error:  # noqa: BLE001 - queries are answered from what there is
                if repr(error) != repr(self.failure):
                    LOGGER.warning("cannot follow the changelogs, retrying: %s", error)
                self.failure, self._discovered = error, float("-inf")
                self._stopping.wait(_RETRY_S)

    def _follow(self, stores: Sequence[str] | None = None) -> None:
        with self._following:
            for name in tuple(self._stores) if stores is None else stores:
                self._take(name)
                for partition in self._held.get(name, ()):
                    self.feed.reached(name, partition, self._follow_partition(name, partition))
        self._notify()
        self.feed.notify()

    def _follow_partition(self, name: str, partition: int) -> int:
        """Apply what a partition has now, and return the offset that was reached."""
        topic = self._topics[name]
        begin, end = self._log.bounds(topic, partition)
        position = self.model.position(name, partition)
        if position > end or 0 < position < begin:
            self._rebuild(name)
            position = 0
        while position < end and not self._stopping.is_set():
            self._apply(name, partition, position, max(position, begin), end)
            position = self.model.position(name, partition)
        return position

    def _rebuild(self, name: str) -> None:
        """Empty a store whose changelog does not continue at the position of the model."""
        self.model.clear(name, self.model.changelog_id(name) or "")
        topic = self._topics[name]
        self._goals[name] = {number: self._log.end_offset(topic, number) for number in self._held[name]}

    def _apply(self, name: str, partition: int, position: int, first: int, end: int) -> None:
        """Apply the records up to `end`, until another follower is found to be ahead."""
        found_by = self._stores[name].found_by
        changes: list[EntryChange] = []
        progress: StateProgress | None = None
        for batch in self._log.read(self._topics[name], partition, first, end):
            for record in batch:
                found = decode(record.key, record.value, record.timestamp) if record.error is None else _unreadable(record)
                if isinstance(found, ChangelogProgress):
                    progress = StateProgress(*found)
                    if partition == 0:
                        self._throughput.setdefault(name, Throughput()).add(found)
                else:
                    changes.append(EntryChange(found_by(found.key), found.key, found.value))
                full = len(changes) >= (_FULL_PART if isinstance(found, ChangelogProgress) else _LARGEST_PART)
                if full:
                    if not self._put(ChangelogPart(name, partition, position, record.offset + 1, changes, progress)):
                        return
                    position, changes, progress = record.offset + 1, [], None
        if position < end:
            self._put(ChangelogPart(name, partition, position, end, changes, progress))

    def _put(self, part: ChangelogPart) -> bool:
        applied = self.model.apply(part)
        self.feed.add(part)  # also if another follower has applied it
        self._notify()
        return applied and not self._stopping.is_set()

    def _notify(self) -> None:
        with self._applied:
            self._applied.notify_all()


def _unreadable(record: LogRecord) -> ChangelogProgress:
    raise QueryError(
        f"topic '{record.topic}', partition {record.partition}, offset {record.offset} cannot be read: {record.error}; reset the "
        "application to create its changelogs again"
    )
