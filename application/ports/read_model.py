"""The read model: the latest contents of an application's state stores, kept outside the engine for queries."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class StoredEntry(NamedTuple):
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


class ReadModel(ABC):
    """The latest entries of the state stores of one application."""

    @abstractmethod
    def apply(self, batch: int, changes: Sequence[StoredEntry]) -> None:
        """Apply the changes of a batch atomically; if an entry occurs more than once, its last change counts.

        A batch whose number is not greater than that of the last one is a repetition and is ignored.
        """

    @abstractmethod
    def stores(self) -> Sequence[str]:
        """Return the names of the stores that have had entries, sorted."""

    @abstractmethod
    def entries(self, store: str) -> Iterator[StoredEntry]:
        """Return all entries of a store, sorted by key bytes, then by partition.

        Raises:
            LookupError: the store is unknown; the message lists the known stores.
        """
