"""Rows of stores as pandas data frames."""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from eddyline.adapters.codecs.field_names import field_names
from eddyline.adapters.wiring.extras import extra
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology.types import Names

if TYPE_CHECKING:
    import pandas as pd

_TIMES = ("window_start", "window_end", "timestamp", "valid_to")


def frame_of(rows: Sequence[StoreRow], names: Names) -> "pd.DataFrame":
    """Return rows as a data frame, in which fields have these names.

    A dataclass has a column for each field: `key.shop`, `value.count`. Windows, timestamps and versions have columns if there are
    any; their times are UTC.

    Raises:
        MissingExtraError: pandas is not installed.
    """
    with extra("notebook"):
        import pandas as pd  # noqa: PLC0415 - the library of an extra
    columns: dict[str, list[Any]] = {}
    for number, row in enumerate(rows):
        for name, value in _cells(row, names):
            columns.setdefault(name, [None] * number).append(value)
        for values in columns.values():
            values.extend([None] * (number + 1 - len(values)))
    frame = pd.DataFrame(columns if rows else {"key": [], "value": []})
    for name in _TIMES:
        if name in frame:
            frame[name] = pd.to_datetime(frame[name].astype("Int64"), unit="ms", utc=True, errors="coerce")
    return frame


def _cells(row: StoreRow, names: Names) -> Iterator[tuple[str, Any]]:
    yield from _fields("key", row.key, names)
    if row.window is not None:
        yield "window_start", row.window.start
        yield "window_end", row.window.end
    yield from _fields("value", row.value, names)
    if row.timestamp is not None:
        yield "timestamp", row.timestamp
    if row.valid_to is not None:
        yield "valid_to", row.valid_to


def _fields(name: str, value: Any, names: Names) -> Iterator[tuple[str, Any]]:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in field_names(type(value), names).values():
            yield f"{name}.{field.written}", getattr(value, field.attribute)
    else:
        yield name, value
