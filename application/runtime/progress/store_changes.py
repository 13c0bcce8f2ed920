"""Collects the changes of stores that tasks report, to show the contents of the stores after a run."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple


class ChangedEntry(NamedTuple):
    """One changed entry of a state store, as the state codec encoded it.

    Attributes:
        store: The name of the store.
        partition: The partition (task) that the entry belongs to.
        key: The key of the entry, including the window bounds if the store is windowed.
        value: The value, None if the entry was deleted.
    """

    store: str
    partition: int
    key: bytes
    value: bytes | None


class StoreChanges:
    """The latest entries of the stores of one run, by key and partition."""

    def __init__(self) -> None:
        self._stores: dict[str, dict[tuple[bytes, int], bytes]] = {}
        self._last_batch: int | None = None

    def apply(self, batch: int, changes: Sequence[ChangedEntry]) -> None:
        """Apply the changes of a batch; if an entry occurs more than once, its last change counts.

        A batch whose number is not greater than that of the last one is a repetition and is ignored.
        """
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
        """Return the names of the stores that have had entries, sorted."""
        return sorted(self._stores)

    def entries(self, store: str) -> Iterator[ChangedEntry]:
        """Return all entries of a store, sorted by key bytes, then by partition.

        Raises:
            LookupError: the store is unknown; the message lists the known stores.
        """
        if store not in self._stores:
            raise LookupError(f"store '{store}' is unknown; the run has changed: {', '.join(self.stores()) or 'none yet'}")
        entries = self._stores[store]
        return (ChangedEntry(store, partition, key, entries[key, partition]) for key, partition in sorted(entries))
