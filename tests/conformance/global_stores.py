"""Global stores, and global tables that no operator uses."""

from typing import Any

from eddyline.application.ports.state_store import KeyValueStore
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.processor import Processor, Record
from eddyline.application.topology.stores import key_value_store
from tests.conformance.joins import Pair, pair


class Greatest(Processor[Any, Any, Any, Any]):
    """Keeps the greatest number of each key."""

    def process(self, record: Record[Any, Any]) -> None:
        store: KeyValueStore[str, Any] = self.context.state_store("greatest")
        key, value = record.key, record.value
        if key is None:
            return
        if value is None:
            store.delete(key)
        elif (store.get(key) or 0) < value:
            store.put(key, value)


class Looking(Processor[str, Any, str, Pair]):
    """Adds the greatest number of the key."""

    def process(self, record: Record[str, Any]) -> None:
        store: KeyValueStore[str, Any] = self.context.state_store("greatest")
        self.context.forward(record.with_value(pair(record.value, store.get(record.key))))


def global_store(builder: TopologyBuilder) -> None:
    """Write the records of topic `in` to topic `out` with the greatest number of their key in topic `numbers`."""
    builder.add_global_store(key_value_store("greatest", key=str, value=object), "numbers", Greatest, key=str, value=object)
    builder.stream("in", key=str, value=object).process(Looking, stores=["greatest"], key=str, value=dict).to("out")


def unused_global_table(builder: TopologyBuilder) -> None:
    """Write the records of topic `in` to topic `out`, beside a global table of topic `countries`."""
    builder.global_table("countries", key=str, value=object, store="countries-rows")
    builder.stream("in", key=str, value=object).to("out")
