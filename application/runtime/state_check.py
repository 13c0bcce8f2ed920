"""Checks that what a record puts into stores can be stored, before the next record is taken."""

from collections.abc import Iterable

from eddyline.application.ports.codec import Codec, Codecs
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.state_codecs import state_codecs
from eddyline.application.runtime.task_stores import store_types
from eddyline.application.topology import Topology


class StateCheck:
    """Encodes entries of stores as the engine does when it saves them."""

    def __init__(self, topology: Topology, codecs: Codecs) -> None:
        self._topology, self._codecs = topology, codecs
        self._found: dict[str, tuple[Codec, Codec]] = {}

    def __call__(self, changes: Iterable[tuple[str, StoreChange]]) -> None:
        """Check entries of stores.

        Raises:
            CodecError: a key or a value cannot be encoded.
        """
        by_store: dict[str, list[StoreChange]] = {}
        for store, change in changes:
            by_store.setdefault(store, []).append(change)
        for store, entries in by_store.items():
            key, value = self._codecs_of(store)
            if len(entries) == 1:
                key.encode(entries[0].key)
                value.encode(entries[0].value)
            else:
                keys, values = zip(*entries, strict=True)
                key.encode_all(keys)
                value.encode_all(values)

    def _codecs_of(self, store: str) -> tuple[Codec, Codec]:
        found = self._found.get(store)
        if found is None:
            found = self._found[store] = state_codecs(store_types(self._topology.stores[store]), self._codecs)
        return found
