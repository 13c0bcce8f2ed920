"""Rows of stores as pandas data frames."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from eddyline.adapters.wiring.extras import extra
from eddyline.application.runtime.store_rows import StoreRow

if TYPE_CHECKING:
    import pandas as pd

_TIMES = ("window_start", "window_end", "timestamp", "valid_to")


def frame_of(rows: Sequence[StoreRow]) -> "pd.DataFrame":
    """Return rows as a data frame.

    A dataclass has a column for each field: `key.shop`, `value.count`. Windows, timestamps and versions have columns if there are
    any; their times are UTC.

    Raises:
        MissingExtraError: pandas is not installed.
    """
    with extra("notebook"):
        import pandas as pd  # noqa: PLC0415 - the library of an extra
    columns: dict[str, list[Any]] = {}
    for number, row in enumerate(rows):
        for name, value in _cells(row):
            columns.setdefault(name, [None] * number).append(value)
        for values in columns.values():
            values.extend([None] * (number + 1 - len(values)))
    frame = pd.DataFrame(columns if rows else {"key": [], "value": []})
    for name in _TIMES:
        if name in frame:
            frame[name] = pd.to_datetime(frame[name].astype("Int64"), unit="ms", utc=True, errors="coerce")
    return frame


def _cells(row: StoreRow) -> Iterator[tuple[str, Any]]:
    yield from _fields("key", row.key)
    if row.window is not None:
        yield "window_start", row.window.start
        yield "window_end", row.window.end
    yield from _fields("value", row.value)
    if row.timestamp is not None:
        yield "timestamp", row.timestamp
    if row.valid_to is not None:
        yield "valid_to", row.valid_to


def _fields(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield f"{name}.{field.name}", getattr(value, field.name)
    else:
        yield name, value
