"""Buffers and stores of operators that the user chooses."""

from collections.abc import Iterable
from typing import Any

from eddyline.adapters.memory.expiring_store import MemoryWindowStore
from eddyline.application.ports.state_store import KeyValueStore
from eddyline.application.topology import TopologyBuilder, join_windows, until_time_limit
from eddyline.application.topology.joins import stream_joined
from eddyline.application.topology.processor import Processor, Record
from eddyline.application.topology.stores import ConnectedStoreProvider, StoreSpec, custom_store, key_value_store
from tests.conformance.joins import pair


def suppress_bytes(builder: TopologyBuilder, *, max_bytes: int = 0, max_records: int | None = None) -> None:
    """Suppress the updates of the table of topic `words` into topic `out`."""
    words = builder.table("words", key=str, value=object).map_values(lambda value: value, value=object)
    words.suppress(until_time_limit(1_000, max_bytes=max_bytes, max_records=max_records), name="wait").to_stream().to("out")


def own_store() -> MemoryWindowStore[Any, Any]:
    """Return a store of the user for the left side."""
    return MemoryWindowStore("own-store", 25)


def join_stores(builder: TopologyBuilder) -> None:
    """Join topics `left` and `right` into topic `joined`."""
    left, right = (builder.stream(topic, key=str, value=object) for topic in ("left", "right"))
    kept = stream_joined(
        store_name="kept", this_store=custom_store("own-store", own_store, key=tuple[str, int], value=list[object])
    )
    left.left_join(right, pair, windows=join_windows(before=10, after=10, grace=5), joined=kept).to("joined")


class Count(Processor[str, Any, str, int]):
    """Counts the records of each key in the store of its supplier."""

    def process(self, record: Record[str, Any]) -> None:
        store: KeyValueStore[str, int] = self.context.state_store("calls")
        count = (store.get(record.key) or 0) + 1
        store.put(record.key, count)
        self.context.forward(record.with_value(count))


class Counting(ConnectedStoreProvider):
    """Brings the store of counts along."""

    def __call__(self) -> Count:
        return Count()

    def stores(self) -> Iterable[StoreSpec]:
        return [key_value_store("calls", key=str, value=int)]


def connected_stores(builder: TopologyBuilder) -> None:
    """Count the records of topics `left` and `right` in one store."""
    for topic in ("left", "right"):
        builder.stream(topic, key=str, value=object).process(Counting(), key=str, value=int).to(f"{topic}-counts")
