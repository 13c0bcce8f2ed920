"""What the changelogs of an application hold, read from an event log."""

from collections.abc import Iterator

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.plan.changelogs import ChangelogEntry, ChangelogProgress, changelog_topic, decode
from eddyline.application.runtime.plan.topic_types import store_types
from eddyline.application.runtime.progress.store_rows import StoreRow, rows_of
from eddyline.application.topology import Topology


def contents(log: EventLog, store: str, partition: int, application_id: str = "app") -> list[ChangelogEntry | ChangelogProgress]:
    """Return the entries and the progress in a partition of a store's changelog."""
    topic = changelog_topic(application_id, store)
    batches = log.read(topic, partition, log.beginning_offset(topic, partition), log.end_offset(topic, partition))
    return [decode(record.key, record.value, record.timestamp) for batch in batches for record in batch]


def entries(log: EventLog, store: str, application_id: str = "app") -> list[list[ChangelogEntry]]:
    """Return the entries in each partition of a store's changelog."""
    return [[found for found in part if isinstance(found, ChangelogEntry)] for part in _parts(log, store, application_id)]


def progress(log: EventLog, store: str, application_id: str = "app") -> list[list[ChangelogProgress]]:
    """Return the progress records in each partition of a store's changelog."""
    return [[found for found in part if isinstance(found, ChangelogProgress)] for part in _parts(log, store, application_id)]


def rebuilt(
    log: EventLog, topology: Topology, store: str, codecs: Codecs | None = None, application_id: str = "app"
) -> list[StoreRow]:
    """Return the rows of a store, rebuilt from its changelog alone."""
    key, value = ((codecs or JsonCodecs()).for_state(found) for found in store_types(topology.stores[store]))
    changes: list[StoreChange] = []
    for part in entries(log, store, application_id):
        latest = {entry.key: entry.value for entry in part}
        changes += [StoreChange(key.decode(own), value.decode(found)) for own, found in latest.items() if found is not None]
    return rows_of(topology.stores[store], changes)


def _parts(log: EventLog, store: str, application_id: str) -> Iterator[list[ChangelogEntry | ChangelogProgress]]:
    partitions = log.partitions(changelog_topic(application_id, store))
    return (contents(log, store, partition, application_id) for partition in range(partitions))
