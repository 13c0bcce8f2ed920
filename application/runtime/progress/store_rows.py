"""Shows the entries of stores of any kind as rows of key, value, window and timestamp."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from eddyline.application.ports.key_order import key_order
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.windows import Window


class StoreRow(NamedTuple):
    """An entry of a store.

    Attributes:
        key: The key, without its window.
        value: The value.
        window: The window or session, None for key-value stores.
        timestamp: The timestamp in ms since the epoch, None if the store has no timestamps.
        valid_to: The time from which a version is no longer valid in ms since the epoch; None for the latest version of a key,
            and in stores without versions.
    """

    key: Any
    value: Any
    window: Window | None
    timestamp: int | None
    valid_to: int | None = None


def row_of(spec: StoreSpec, entry: StoreChange) -> StoreRow:
    """Return an entry of a store as a row."""
    key, window = entry.key, None
    if spec.kind is StoreKind.WINDOW:
        key, start = entry.key
        window = Window(start, start) if spec.windows is None else spec.windows.window_at(start)
    elif spec.kind is StoreKind.SESSION:
        key, start, end = entry.key
        window = Window(start, end)
    if spec.kind is StoreKind.VERSIONED:
        key, timestamp = entry.key
        return StoreRow(key, entry.value[0], None, timestamp)
    value, timestamp = entry.value if spec.timestamped else (entry.value, None)
    return StoreRow(key, value, window, timestamp)


def rows_of(spec: StoreSpec, entries: Iterable[StoreChange]) -> list[StoreRow]:
    """Return the entries of a store as rows, sorted by key, window start and window end, or by key and timestamp."""
    rows = [row_of(spec, entry) for entry in entries if entry.value is not None]
    if spec.kind is StoreKind.VERSIONED:
        rows.sort(key=lambda row: (key_order(row.key), row.timestamp))
        return list(_versions(rows))
    rows.sort(key=lambda row: (key_order(row.key), row.window or ()))
    return rows


def _versions(rows: Sequence[StoreRow]) -> Iterator[StoreRow]:
    """Yield the versions, each with the timestamp of the next one of its key, without deletions."""
    for row, following in zip_longest(rows, rows[1:]):
        if row.value is not None:
            yield row._replace(valid_to=following.timestamp if following is not None and following.key == row.key else None)
