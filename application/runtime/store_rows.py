"""Shows the entries of stores of any kind as rows of key, value, window and timestamp."""

from collections.abc import Iterable
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
    """

    key: Any
    value: Any
    window: Window | None
    timestamp: int | None


def row_of(spec: StoreSpec, entry: StoreChange) -> StoreRow:
    """Return an entry of a store as a row."""
    key, window = entry.key, None
    if spec.kind is StoreKind.WINDOW:
        key, start = entry.key
        window = Window(start, start) if spec.windows is None else spec.windows.window_at(start)
    elif spec.kind is StoreKind.SESSION:
        key, start, end = entry.key
        window = Window(start, end)
    value, timestamp = entry.value if spec.timestamped else (entry.value, None)
    return StoreRow(key, value, window, timestamp)


def rows_of(spec: StoreSpec, entries: Iterable[StoreChange]) -> list[StoreRow]:
    """Return the entries of a store as rows, sorted by key, window start and window end."""
    rows = [row_of(spec, entry) for entry in entries if entry.value is not None]
    rows.sort(key=lambda row: (key_order(row.key), row.window or ()))
    return rows
