"""The read model in memory: the latest entries of the state stores in dictionaries."""

from collections.abc import Iterator, Sequence

from eddyline.application.ports.read_model import ReadModel, StoredEntry


class MemoryReadModel(ReadModel):
    """The entries of each store by key and partition; they live as long as the object."""

    def __init__(self) -> None:
        self._stores: dict[str, dict[tuple[bytes, int], bytes]] = {}
        self._last_batch: int | None = None

    def apply(self, batch: int, changes: Sequence[StoredEntry]) -> None:
        if self._last_batch is not None and batch <= self._last_batch:
            return
        for change in changes:
            entries = self._stores.setdefault(change.store, {})
            entry_key = (change.key, change.partition)
            if change.value is None:
                entries.pop(entry_key, None)
            else:
                entries[entry_key] = change.value
        self._last_batch = batch

    def stores(self) -> Sequence[str]:
        return sorted(self._stores)

    def entries(self, store: str) -> Iterator[StoredEntry]:
        if store not in self._stores:
            raise LookupError(f"store '{store}' is unknown; the read model has: {', '.join(self.stores()) or 'none yet'}")
        entries = self._stores[store]
        return (StoredEntry(store, partition, key, entries[key, partition]) for key, partition in sorted(entries))
