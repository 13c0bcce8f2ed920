"""The kinds of stores over a table; each kind has its own key columns."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from eddyline.adapters.sqlite.keys import OrderedKeys
from eddyline.adapters.sqlite.table import Table
from eddyline.application.ports.codec import Codec
from eddyline.application.ports.state_store import KeyValueStore, SessionStore, StoreChange, TimedStore, WindowStore


class _Kept:
    """What all kinds share: a table, codecs, and the places that changed since the last drain."""

    def __init__(self, name: str, table: Table, keys: OrderedKeys, values: Codec) -> None:
        self.name = name
        self._table = table
        self._keys = keys
        self._values = values
        self._changed: dict[tuple[bytes, int, int], None] = {}

    def drain_changes(self) -> Sequence[StoreChange]:
        """The entries that changed since the last call, and the moment in which they become durable in the file."""
        changes = [StoreChange(self._place(*place), self._decoded(self._table.get(*place))) for place in self._changed]
        self._changed.clear()
        self._table.commit()
        return changes

    def restore(self, changes: Iterable[StoreChange]) -> None:
        for place, value in changes:
            key, first, second = self._columns(place)
            self._table.put(key, self._encoded(value), first, second)
        self._table.commit()

    def snapshot(self) -> Iterator[StoreChange]:
        return (
            StoreChange(self._place(key, first, second), self._decoded(value))
            for key, first, second, value in self._table.select()
        )

    def close(self) -> None:
        self._table.close()

    def _set(self, key: bytes, value: Any, first: int = 0, second: int = 0) -> None:
        self._table.put(key, self._encoded(value), first, second)
        self._changed[key, first, second] = None

    def _encoded(self, value: Any) -> bytes | None:
        return None if value is None else self._values.encode(value)

    def _decoded(self, value: bytes | None) -> Any:
        return None if value is None else self._values.decode(value)

    def _place(self, key: bytes, first: int, second: int) -> Any:
        raise NotImplementedError

    def _columns(self, place: Any) -> tuple[bytes, int, int]:
        raise NotImplementedError


class SqliteKeyValueStore(_Kept, KeyValueStore[Any, Any]):
    """Values by key."""

    def get(self, key: Any) -> Any:
        return self._decoded(self._table.get(self._keys.encode(key)))

    def put(self, key: Any, value: Any) -> None:
        self._set(self._keys.encode(key), value)

    def delete(self, key: Any) -> Any:
        present = self.get(key)
        if present is not None:
            self.put(key, None)
        return present

    def put_if_absent(self, key: Any, value: Any) -> Any:
        present = self.get(key)
        if present is None:
            self.put(key, value)
        return present

    def range(self, first: Any = None, last: Any = None, *, reverse: bool = False) -> Iterator[tuple[Any, Any]]:
        conditions, values = ["1"], []
        if first is not None:
            conditions.append("key >= ?")
            values.append(self._keys.encode(first))
        if last is not None:
            conditions.append("key <= ?")
            values.append(self._keys.encode(last))
        rows = self._table.select(" AND ".join(conditions), tuple(values), "key DESC" if reverse else "key")
        return ((self._keys.decode(key), self._decoded(value)) for key, _, _, value in rows)

    def prefix_scan(self, prefix: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
        first = self._keys.encode(prefix)
        rows = self._table.select("key >= ? AND substr(key, 1, ?) = ?", (first, len(first), first), "key")
        return ((self._keys.decode(key), self._decoded(value)) for key, _, _, value in rows)

    def approximate_num_entries(self) -> int:
        return self._table.count()

    def _place(self, key: bytes, first: int, second: int) -> Any:
        del first, second
        return self._keys.decode(key)

    def _columns(self, place: Any) -> tuple[bytes, int, int]:
        return self._keys.encode(place), 0, 0


class _Timed(_Kept, TimedStore):
    """What window and session stores share: a newest time, and entries that leave by it."""

    _expiring = "first"

    def __init__(self, name: str, table: Table, keys: OrderedKeys, values: Codec, retention_ms: int) -> None:
        super().__init__(name, table, keys, values)
        self._retention = retention_ms
        self._newest = table.number("newest", -1)

    @property
    def newest(self) -> int:
        return self._newest

    def observe(self, newest: int) -> None:
        if newest > self._newest:
            self._newest = newest
            self._table.set_number("newest", newest)
            for place in self._table.delete(f"{self._expiring} <= ?", (newest - self._retention,)):
                self._changed[place] = None


class SqliteWindowStore(_Timed, WindowStore[Any, Any]):
    """Values by key and window start; the start is the first number."""

    def put(self, key: Any, value: Any, start: int) -> bool:
        self.observe(start)
        if start <= self._newest - self._retention:
            return False
        self._set(self._keys.encode(key), value, start)
        return True

    def fetch(self, key: Any, start: int) -> Any:
        return self._decoded(self._table.get(self._keys.encode(key), start))

    def fetch_range(self, key: Any, first: int, last: int) -> Sequence[tuple[int, Any]]:
        rows = self._table.select("key = ? AND first BETWEEN ? AND ?", (self._keys.encode(key), first, last))
        return [(start, self._decoded(value)) for _, start, _, value in rows]

    def fetch_all(self, first: int, last: int) -> Sequence[tuple[Any, int, Any]]:
        rows = self._table.select("first BETWEEN ? AND ?", (first, last))
        return [(self._keys.decode(key), start, self._decoded(value)) for key, start, _, value in rows]

    def _place(self, key: bytes, first: int, second: int) -> Any:
        del second
        return self._keys.decode(key), first

    def _columns(self, place: Any) -> tuple[bytes, int, int]:
        key, start = place
        return self._keys.encode(key), start, 0


class SqliteSessionStore(_Timed, SessionStore[Any, Any]):
    """Values by key and session bounds; start and end are the two numbers."""

    _expiring = "second"

    def put(self, key: Any, start: int, end: int, value: Any) -> bool:
        if value is not None:
            self.observe(end)
            if end <= self._newest - self._retention:
                return False
        self._set(self._keys.encode(key), value, start, end)
        return True

    def find_sessions(self, key: Any, earliest_end: int, latest_start: int) -> Sequence[tuple[int, int, Any]]:
        condition = "key = ? AND second >= ? AND first <= ?"
        rows = self._table.select(condition, (self._keys.encode(key), earliest_end, latest_start), "second, first")
        return [(start, end, self._decoded(value)) for _, start, end, value in rows]

    def fetch_all(self) -> Sequence[tuple[Any, int, int, Any]]:
        return [(self._keys.decode(key), start, end, self._decoded(value)) for key, start, end, value in self._table.select()]

    def _place(self, key: bytes, first: int, second: int) -> Any:
        return self._keys.decode(key), first, second

    def _columns(self, place: Any) -> tuple[bytes, int, int]:
        key, start, end = place
        return self._keys.encode(key), start, end
