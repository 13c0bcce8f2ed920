"""What stores in a database whose entries expire have in common: an index of their rows by the time of expiry."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import partial

from eddyline.adapters.rocksdb.rows import LATEST, RowOf, time_in
from eddyline.adapters.rocksdb.table import Table
from eddyline.application.ports.state_store import StoreChange, TimedStore


class ExpiringStore(TimedStore):
    """A store over a table; `key_row` returns the bytes of a key.

    `_oldest` is a time before which the index has no rows, so that most records need not look into it; None if it is not known.
    """

    def __init__(self, table: Table, key_row: RowOf, retention_ms: int) -> None:
        self.name, self._table, self._key_row = table.name, table, key_row
        self._retention = retention_ms
        self._newest = -1
        self._oldest: int | None = None

    @property
    def newest(self) -> int:
        return self._newest

    def observe(self, newest: int) -> None:
        if newest > self._newest:
            self._advance(newest)
            self._expire()

    def approximate_num_entries(self) -> int:
        return len(self._table)

    def drain_changes(self) -> Sequence[StoreChange]:
        return self._table.drain()

    def drain_encoded(self) -> Sequence[tuple[bytes, bytes | None]]:
        return self._table.drain_encoded()

    def restore(self, changes: Iterable[StoreChange]) -> None:
        self._table.restore(changes)
        self._oldest = None

    def restore_encoded(self, entries: Iterable[tuple[bytes, bytes | None]]) -> bool:
        self._table.restore_encoded(entries)
        self._oldest = None
        return True

    @property
    def _horizon(self) -> int:
        """The time up to which entries have expired."""
        return self._newest - self._retention

    @abstractmethod
    def _expire_row(self, row: bytes) -> None:
        """Remove the entry of a row of the index whose time has passed."""

    def _advance(self, newest: int) -> None:
        if self._table.undo is not None:
            self._table.undo.append(partial(self._rewind, self._newest))
        self._newest = newest

    def _rewind(self, newest: int) -> None:
        self._newest, self._oldest = newest, None

    def _expire(self) -> None:
        horizon = self._horizon
        if self._oldest is not None and self._oldest > horizon:
            return
        self._oldest = LATEST
        for row in self._table.by_expiry():
            if time_in(row) > horizon:
                self._oldest = time_in(row)
                return
            self._expire_row(row)
