"""Numbers, times and bytes as people read them."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from typing import Any

from eddyline.adapters.codecs.field_names import field_names
from eddyline.application.topology import Window, Windowed
from eddyline.application.topology.types import Names
from eddyline.application.topology.windows.time_windows import FOREVER

MISSING = "\u2013"
_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
_SIZES = ("B", "kB", "MB", "GB", "TB")
_KILO = 1_000
_LONGEST = 160
_HEX_COLUMNS = 16
_MOST_FIELDS = 6


def number(value: float | None, digits: int = 0) -> str:
    """Return a number with thousands separators."""
    return MISSING if value is None else f"{value:,.{digits}f}"


def counted(value: int, singular: str, plural: str | None = None) -> str:
    """Return a number with the noun that it counts."""
    return f"{value:,} {singular if value == 1 else plural or singular + 's'}"


def rate(value: float | None) -> str:
    """Return a number per second, with a decimal if it is small."""
    digits = 1 if value is not None and 0 < value < 10 else 0  # noqa: PLR2004 - two figures
    return MISSING if value is None else f"{number(value, digits)}/s"


def size(value: float | None) -> str:
    """Return a number of bytes in the unit that fits."""
    if value is None:
        return MISSING
    power = min(int(math.log(value, _KILO)) if value >= 1 else 0, len(_SIZES) - 1)
    return f"{value / _KILO**power:,.{1 if power else 0}f} {_SIZES[power]}"


def time(milliseconds: int | None, zone: tzinfo = UTC) -> str:
    """Return a time in a zone, to the millisecond only if it has some."""
    if milliseconds is None:
        return MISSING
    try:
        found = datetime.fromtimestamp(milliseconds / _SECOND, zone)
    except (ValueError, OverflowError, OSError):
        return f"{milliseconds} ms"
    text = found.strftime("%Y-%m-%d %H:%M:%S")
    return f"{text}.{milliseconds % _SECOND:03d}" if milliseconds % _SECOND else text


def near(milliseconds: int, other: int, zone: tzinfo = UTC) -> str:
    """Return a time in a zone, without the date if it is that of another time."""
    text, date = time(milliseconds, zone), time(other, zone).partition(" ")[0]
    return text.removeprefix(f"{date} ")


def clock(milliseconds: int | None, zone: tzinfo = UTC) -> str:
    """Return the time of day in a zone."""
    return MISSING if milliseconds is None else time(milliseconds, zone).partition(" ")[2].partition(".")[0]


def moment(milliseconds: int, now_ms: int, zone: tzinfo) -> str:
    """Return a time in a zone to the second, without the date if it is that of now."""
    return near(milliseconds // _SECOND * _SECOND, now_ms, zone)


def duration(milliseconds: float | None) -> str:
    """Return a duration in its two largest units."""
    if milliseconds is None:
        return MISSING
    if milliseconds < 0:
        return f"-{duration(-milliseconds)}"
    if milliseconds < _SECOND:
        return f"{milliseconds:,.0f} ms"
    if milliseconds < _MINUTE:
        return f"{milliseconds / _SECOND:.1f} s"
    for unit, name, below, below_name in ((_DAY, "d", _HOUR, "h"), (_HOUR, "h", _MINUTE, "min"), (_MINUTE, "min", _SECOND, "s")):
        if milliseconds >= unit:
            rest = int(milliseconds % unit // below)
            return f"{int(milliseconds // unit):,} {name}" + (f" {rest} {below_name}" if rest else "")
    return MISSING


def plain(value: Any, names: Names) -> Any:
    """Return a value as JSON has it, with these names of fields; what JSON does not have becomes text."""
    if isinstance(value, Enum):
        return plain(value.value, names)
    if (is_dataclass(value) and not isinstance(value, type)) or (isinstance(value, tuple) and hasattr(value, "_fields")):
        own = field_names(type(value), names).values()
        value = {each.written: getattr(value, each.attribute) for each in own if not each.excluded}
    if isinstance(value, Mapping):
        return {str(key): plain(item, names) for key, item in value.items()}
    if isinstance(value, list | set | frozenset | tuple):
        return [plain(item, names) for item in value]
    return value if value is None or isinstance(value, str | int | float) else _as_text(value)


def _as_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex(" ")
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)


def window(found: Window) -> str:
    """Return a window, whose end has no date if it is that of the start."""
    if found.end >= FOREVER:
        return f"from {time(found.start)}"
    return f"{time(found.start)} to {near(found.end, found.start)}"


def shown(value: Any, names: Names) -> str:
    """Return a value on one line: text as it is, numbers with separators, and fields with their names.

    Args:
        value: The value.
        names: What its fields are called.
    """
    if isinstance(value, Windowed):
        return f"{shown(value.key, names)} · {window(value.window)}"
    found = plain(value, names)
    if found is None:
        return MISSING
    if isinstance(found, int) and not isinstance(found, bool):
        return f"{found:,}"
    if isinstance(found, float):
        return _decimal(found)
    return _pairs(found) if found and isinstance(found, dict) else _inner(found)


def cell(value: Any, names: Names, now_ms: int, zone: tzinfo) -> str:
    """Return a value of a row that a flow made, in people's units: see `eddyline.application.flows.views.Rows`."""
    if isinstance(value, Decimal):
        return f"{value:,}"
    if isinstance(value, timedelta):
        return duration(value / timedelta(milliseconds=1))
    if isinstance(value, datetime):
        return moment(round(value.timestamp() * _SECOND), now_ms, zone)
    return ("yes" if value else "no") if isinstance(value, bool) else shown(value, names)


def _inner(value: Any) -> str:
    """Return a part of a value, whose whole numbers may be times or identifiers."""
    if isinstance(value, dict):
        return f"{{{_pairs(value)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inner, value))}]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return _decimal(value).replace(",", "")
    return MISSING if value is None else str(value)


def _pairs(fields: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {_inner(item)}" for name, item in fields.items())


def _decimal(value: float) -> str:
    return f"{value:,.6g}" if abs(value) < 1_000 else f"{value:,.2f}"  # noqa: PLR2004 - from where decimals are noise


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return a text with at most so many characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def indented(value: Any, names: Names) -> str:
    """Return a value as JSON over several lines, with these names of fields."""
    return json.dumps(plain(value, names), indent=2, ensure_ascii=False)


def columns_of(value: Any, names: Names) -> dict[str, Any]:
    """Return the fields of a value by these names, or the value itself as the field `value`."""
    found = plain(value, names)
    return found if isinstance(found, dict) and found else {"value": found}


def common_fields(values: Iterable[Any], names: Names) -> list[str]:
    """Return the columns that show values: their fields, none if they have different ones or many."""
    found = {tuple(columns_of(value, names)) for value in values if value is not None}
    fields = found.pop() if len(found) == 1 else ()
    return list(fields) if len(fields) <= _MOST_FIELDS else []


def hex_dump(data: bytes, most: int = 1_024) -> str:
    """Return bytes in lines of 16, with their offset and their printable characters."""
    lines = []
    for offset in range(0, min(len(data), most), _HEX_COLUMNS):
        part = data[offset : offset + _HEX_COLUMNS]
        text = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in part)  # noqa: PLR2004 - printable ASCII
        lines.append(f"{offset:06x}  {part.hex(' '):<47}  {text}")
    if len(data) > most:
        lines.append(f"… {len(data) - most:,} more bytes")
    return "\n".join(lines)
