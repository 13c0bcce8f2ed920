"""The records that a run in Python is given: from data frames, files and topics."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from uuid import UUID

from eddyline.adapters.wiring.extras import extra
from eddyline.application.ports.event_log import EventLog
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.input.offsets import batches_of

if TYPE_CHECKING:
    import pandas as pd

Row: TypeAlias = Mapping[str, Any]

_KEY, _VALUE, _TIMESTAMP = "key", "value", "timestamp"
_OWN: Final = frozenset({_KEY, _TIMESTAMP})
_OF_KEY: Final = f"{_KEY}."
_MILLISECOND: Final = timedelta(milliseconds=1)
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_LINES: Final = (".jsonl", ".ndjson")
_TABLES: Final = (".csv", ".parquet")
SUFFIXES: Final = (*_TABLES, *_LINES)
"""The suffixes of the files that are read."""


class SourceError(ValueError):
    """A source of a run cannot be read; the message says what is wrong, and what to pass."""


def is_file(source: object) -> bool:
    """Return whether a source is a file: a path, or text that is a path, which the name of a topic cannot be."""
    return isinstance(source, Path) or (isinstance(source, str) and ("/" in source or source.endswith(SUFFIXES)))


def rows_of(source: Any) -> Iterator[Row]:
    """Yield the rows of a data frame, or of what has a method `to_pandas`, or of a file.

    Raises:
        SourceError: it is something else, or a line of the file is not a JSON object.
        MissingExtraError: the file needs pandas, which is not installed.
        OSError: the file cannot be read.
    """
    if is_file(source):
        path = Path(source)
        if path.suffix not in SUFFIXES:
            raise SourceError(f"the file '{path}' has none of the suffixes {', '.join(SUFFIXES)}; pass its rows as a data frame")
        yield from _rows_of_lines(path) if path.suffix in _LINES else _rows_of_frame(_table(path))
        return
    frame = source.to_pandas() if hasattr(source, "to_pandas") else source
    if not (hasattr(frame, "to_dict") and hasattr(frame, "columns")):
        raise SourceError(f"{type(source).__name__} is no source; pass a data frame, a path or the name of a topic")
    yield from _rows_of_frame(frame)


def record_maker(topic: str, value_type: Any, now_ms: int) -> Callable[[Row], SinkRecord]:
    """Return a function that makes a record of a row.

    Args:
        topic: The topic of the records.
        value_type: The type of their values.
        now_ms: The timestamp of rows without one, in ms since the epoch.
    """

    def record(row: Row) -> SinkRecord:
        value = _part(row, _VALUE)
        if value is _ABSENT:
            fields = {name: found for name, found in row.items() if name not in _OWN and not name.startswith(_OF_KEY)}
            value = fields or None
        key = _part(row, _KEY)
        timestamp = row.get(_TIMESTAMP)
        at = now_ms if _is_missing(timestamp) else _milliseconds(timestamp)
        return SinkRecord(topic, _encoded(None if key is _ABSENT else key), _encoded(value, quoted=value_type is not str), at)

    return record


def records_in(log: EventLog, topic: str, copy: str) -> Iterator[list[SinkRecord]]:
    """Yield the records that a topic has now, as records of the topic `copy`, a part at a time.

    Raises:
        UnknownTopicError: there is no such topic.
    """
    for number in range(log.partitions(topic)):
        for batch in batches_of(log, topic, number):
            yield [SinkRecord(copy, each.key, each.value, each.timestamp, each.headers, number) for each in batch]


# --- rows -----------------------------------------------------------------------------------------------------------------


def _rows_of_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise SourceError(f"line {number} of '{path}' is not JSON: {error}") from None
            if not isinstance(row, dict):
                raise SourceError(f"line {number} of '{path}' is not a JSON object; write one of the form {{\"key\": …, …}}")
            yield row


def _table(path: Path) -> "pd.DataFrame":
    with extra("notebook"):
        import pandas as pd  # noqa: PLC0415 - the library of an extra

        if path.suffix == ".parquet":
            import pyarrow  # noqa: F401, ICN001, PLC0415 - pandas would explain at length that it is missing
    return pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)


def _rows_of_frame(frame: Any) -> Iterator[Row]:
    """Yield the rows of a frame; its index, if it has times, is their timestamp unless a column is."""
    if _TIMESTAMP not in frame and hasattr(frame.index, "tz_localize"):
        frame = frame.assign(timestamp=frame.index)
    columns = [(str(name), frame.iloc[:, position].tolist()) for position, name in enumerate(frame.columns)]
    for number in range(len(frame)):
        yield {name: values[number] for name, values in columns}


# --- parts of a row -------------------------------------------------------------------------------------------------------

_ABSENT: Final = object()


def _part(row: Row, name: str) -> Any:
    """Return the key or the value of a row: its column, or its columns `NAME.FIELD` as a dictionary."""
    if name in row:
        found = row[name]
        return None if _is_missing(found) else found
    prefix = f"{name}."
    fields = {column.removeprefix(prefix): found for column, found in row.items() if column.startswith(prefix)}
    return fields or _ABSENT


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, or what pandas has for a missing one: NaN, NaT or NA."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in {"NAType", "NaTType"}  # noqa: PLR0124 - NaN alone differs from itself


def _encoded(value: Any, *, quoted: bool = False) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    if isinstance(value, str) and not quoted:
        return value.encode()
    return json.dumps(_jsonable(value), ensure_ascii=False, separators=(",", ":")).encode()


def _jsonable(value: Any) -> Any:
    """Return a value as JSON has it; times and numbers of pandas and NumPy included."""
    if _is_missing(value):
        return None
    found = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(found, Mapping):
        return {str(name): _jsonable(each) for name, each in found.items()}
    if isinstance(found, list | tuple | set | frozenset):
        return [_jsonable(each) for each in found]
    if isinstance(found, date):  # and datetime, also that of pandas
        return found.isoformat()
    return str(found) if isinstance(found, Decimal | UUID) else found


def _milliseconds(time: Any) -> int:
    """Return a time in ms since the epoch; times without a zone are UTC.

    Raises:
        SourceError: it is no time.
    """
    if isinstance(time, str):
        try:
            time = datetime.fromisoformat(time)
        except ValueError:
            raise SourceError(f"'{time}' in the column timestamp is no time; use ISO 8601 or ms since the epoch") from None
    if isinstance(time, datetime):
        at = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
        return (at - _EPOCH) // _MILLISECOND
    try:
        return int(time)
    except (TypeError, ValueError):
        raise SourceError(f"{time!r} in the column timestamp is no time; use ISO 8601 or ms since the epoch") from None
