"""An application with stores of all kinds, whose changelogs a test writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eddyline import Topology, TopologyBuilder, key_value_store, session_store, versioned_key_value_store, window_store
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.application.ports.instance_group import InstanceGroup
from eddyline.application.ports.read_model import ReadModel
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.queries.model_queries import ModelQueries
from eddyline.application.runtime.plan.changelogs import BatchProgress, changelog_topic, entry_record, progress_records
from eddyline.application.runtime.plan.topic_types import store_types
from eddyline.application.topology.processor import Processor

APPLICATION = "shop"


@dataclass(frozen=True, order=True)
class Shelf:
    shop: str
    number: int


class _Nothing(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        """Ignore the record."""


def topology() -> Topology:
    stores = [
        key_value_store("stock", key=str, value=int, timestamped=True),
        key_value_store("by-number", key=int, value=str),
        key_value_store("shelves", key=Shelf, value=int),
        window_store("sales", key=str, value=int, retention=1_000, window_size=10),
        session_store("visits", key=str, value=int, retention=1_000),
        versioned_key_value_store("prices", key=str, value=int, history_retention=1_000),
    ]
    builder = TopologyBuilder()
    builder.add_source("order-source", "orders", key=str, value=int)
    for store in stores:
        builder.add_state_store(store)
    builder.add_processor("work", _Nothing, parents=["order-source"], stores=[store.name for store in stores])
    return builder.build()


class Changelogs:
    """The changelogs of the application, in an event log in memory."""

    def __init__(
        self,
        model: ReadModel | None = None,
        *,
        partitions: int = 1,
        log: MemoryEventLog | None = None,
        group: InstanceGroup | None = None,
        discovery_ms: int = 0,
    ) -> None:
        self.topology, self.codecs, self.log = topology(), JsonCodecs(), log or MemoryEventLog()
        self.group, self.discovery_ms = group, discovery_ms
        self.log.create_topic("orders", 2)
        self.model = model or MemoryReadModel()
        self.partitions = partitions
        self.follower = self.new_follower(self.model)
        self.queries = ModelQueries(self.follower, self.log)

    def new_follower(self, model: ReadModel) -> ChangelogFollower:
        return ChangelogFollower(
            self.topology, APPLICATION, self.log, self.codecs, model, poll_ms=5, discovery_ms=self.discovery_ms, group=self.group
        )

    def create(self, *stores: str) -> None:
        for store in stores:
            self.log.create_topic(changelog_topic(APPLICATION, store), self.partitions)

    def write(self, store: str, changes: Mapping[Any, Any] | Sequence[tuple[Any, Any]], *, partition: int = 0) -> None:
        self.create(store)
        key_codec, value_codec = map(self.codecs.for_state, store_types(self.topology.stores[store]))
        for key, value in changes.items() if isinstance(changes, Mapping) else changes:
            topic = changelog_topic(APPLICATION, store)
            self._append(entry_record(topic, partition, key_codec.encode(key), value_codec.encode(value), 0))

    def progress(self, store: str, batch: int, *offsets: int, partition: int = 0, time_ms: int = 0, stream_time: int = 0) -> None:
        self.create(store)
        found = BatchProgress(batch, time_ms, {"orders": offsets})
        for record in progress_records([changelog_topic(APPLICATION, store)], partition, stream_time, found):
            self._append(record)

    def recreate(self, store: str) -> None:
        self.log.delete_topic(changelog_topic(APPLICATION, store))
        self.create(store)

    def orders(self, partition: int, count: int) -> None:
        for _ in range(count):
            self.log.append("orders", b"k", b"1", 0, partition=partition)

    def _append(self, record: Any) -> None:
        topic, key, value, timestamp, headers, partition = record
        self.log.append(topic, key, value, timestamp, headers, partition=partition)
