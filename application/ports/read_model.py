"""What queries read: the latest contents of stores, kept outside the engine."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class StoredEntry(NamedTuple):
    """One entry of a store that changed, as the state codec wrote it.

    `key` is the store's own key (with window bounds where the store has them); `value` is None where the entry was deleted.
    """

    store: str
    partition: int
    key: bytes
    value: bytes | None


class ReadModel(ABC):
    """The latest entries of the stores of one application."""

    @abstractmethod
    def apply(self, batch: int, changes: Sequence[StoredEntry]) -> None:
        """Takes over the changes of a batch, all or none; a repeated batch changes nothing."""

    @abstractmethod
    def stores(self) -> Sequence[str]:
        """The names of the stores that it has seen, sorted."""

    @abstractmethod
    def entries(self, store: str) -> Iterator[StoredEntry]:
        """All entries of a store, sorted by key bytes. Raises LookupError that names the stores there are."""
