"""The changelogs of state stores: which stores have one, their topics, and the format of their records."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from eddyline.application.operators.context import NO_TIME
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import TopologyError, listed

StoreChoice: TypeAlias = tuple[str, ...] | Literal["all"]
"""The names of stores, or `all` for those of tables, aggregations and processors, but not the buffers of joins and suppressions.
Stores that the topology declares queryable are always chosen. The stores of global tables are copies of their topics and have no
changelogs."""


def store_choice(text: str) -> StoreChoice:
    """Return the choice in the value of the setting `changelog.stores`: `none`, `all` or names separated by commas."""
    text = text.strip()
    if text == "all":
        return "all"
    if text == "none":
        return ()
    return tuple(name for part in text.split(",") if (name := part.strip()))


class StoreChoiceError(TopologyError):
    """The setting `changelog.stores` names a store that has no changelog; the message lists the choices."""


def chosen_stores(topology: Topology, choice: StoreChoice) -> frozenset[str]:
    """Return the names of the chosen stores, and of those that the topology declares queryable.

    Raises:
        StoreChoiceError: the topology has no such store, or it belongs to a global table.
    """
    own = [name for sub in topology.sub_topologies for name in sub.stores]
    if choice == "all":
        return frozenset(name for name in own if not topology.stores[name].internal)
    for name in choice:
        if name not in own:
            problem = "belongs to a global table, whose topic is its changelog" if name in topology.stores else "is unknown"
            msg = f"changelog.stores: store '{name}' {problem}; choose one of: {listed(('all', 'none', *sorted(own)))}"
            raise StoreChoiceError(msg)
    return frozenset(choice).union(name for name in own if topology.stores[name].queryable)


def changelogs_by_sub_topology(topology: Topology, application_id: str, choice: StoreChoice) -> Mapping[int, Mapping[str, str]]:
    """Return the changelog topics of each sub-topology that has some, by its index: a topic for each store.

    Raises:
        TopologyError: as for `chosen_stores`.
    """
    chosen = chosen_stores(topology, choice)
    found = {
        sub.index: {name: changelog_topic(application_id, name) for name in sub.stores if name in chosen}
        for sub in topology.sub_topologies
    }
    return {index: topics for index, topics in found.items() if topics}


def is_own_changelog(topology: Topology, topic: str) -> bool:
    """Return whether a topic has the name of a changelog of a topology, under any application id."""
    return topic.endswith("-changelog") and any(topic.endswith(changelog_topic("", store)) for store in topology.stores)


def changelog_topics(topology: Topology, application_id: str) -> tuple[str, ...]:
    """Return the names of the changelogs that runs of a topology may have created."""
    return tuple(sorted(changelog_topic(application_id, name) for sub in topology.sub_topologies for name in sub.stores))


PROGRESS_KEY: Final = b""
"""The key of progress records; compaction leaves the last one of each partition."""

_NULL: Final = b"null"
"""The key of an entry whose key is null."""


class ChangelogEntry(NamedTuple):
    """A change of a store.

    Attributes:
        key: The key of the entry, including its window, as the state codec encodes it.
        value: The value, None if the entry was deleted.
        timestamp: The stream time of the task after the batch, in ms since the epoch; 0 if it has none.
    """

    key: bytes
    value: bytes | None
    timestamp: int


class ChangelogProgress(NamedTuple):
    """What a task has processed when the entries before this record are applied.

    Attributes:
        batch: The number of the batch.
        time_ms: The wall-clock time of the batch, in ms since the epoch.
        stream_time: The stream time of the task in ms since the epoch, None before its first record.
        offsets: The next offset of each partition of each source topic. All records before them are included in the store, and
            possibly some after them: tasks may leave records of a batch to the next one. Empty if that is not known yet.
    """

    batch: int
    time_ms: int
    stream_time: int | None
    offsets: Mapping[str, Sequence[int]]


class BatchProgress(NamedTuple):
    """The part of the progress that is the same for all tasks; see `ChangelogProgress`."""

    batch: int
    time_ms: int
    offsets: Mapping[str, Sequence[int]]


def changelog_topic(application_id: str, store: str) -> str:
    """Return the name of the changelog topic of a store, which is that of Kafka Streams."""
    return f"{application_id}-{store}-changelog"


def entry_record(topic: str, partition: int, key: bytes | None, value: bytes | None, stream_time: int) -> SinkRecord:
    """Return the record of a changed entry."""
    return SinkRecord(topic, key or _NULL, value, max(stream_time, 0), (), partition)


def progress_records(topics: Iterable[str], partition: int, stream_time: int, progress: BatchProgress) -> list[SinkRecord]:
    """Return the progress records of a task for the changelogs of its stores; `stream_time` may be NO_TIME."""
    found = ChangelogProgress(progress.batch, progress.time_ms, None if stream_time == NO_TIME else stream_time, progress.offsets)
    value = encode_progress(found)
    return [SinkRecord(topic, PROGRESS_KEY, value, max(stream_time, 0), (), partition) for topic in topics]


def encode_progress(progress: ChangelogProgress) -> bytes:
    """Return the value of a progress record."""
    batch, time_ms, stream_time, offsets = progress
    fields = {"batch": batch, "time": time_ms, "streamTime": stream_time, "offsets": offsets}
    return json.dumps(fields, separators=(",", ":")).encode()


def decode(key: bytes | None, value: bytes | None, timestamp: int) -> ChangelogEntry | ChangelogProgress:
    """Return what a record of a changelog topic holds.

    Raises:
        ValueError: it was not written by Eddyline.
    """
    if key:
        return ChangelogEntry(key, value, timestamp)
    try:
        found = json.loads(value or b"")
        offsets = {topic: list(numbers) for topic, numbers in found["offsets"].items()}
        return ChangelogProgress(found["batch"], found["time"], found["streamTime"], offsets)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"a record without a key has the value {value!r}, which is no progress record of a changelog ({error}); "
            "reset the application to create its changelog topics again"
        ) from error
