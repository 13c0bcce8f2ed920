"""Names in Avro schemas."""

import re
from typing import Any

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_FULL_NAME = re.compile(rf"{_NAME.pattern}(\.{_NAME.pattern})*", re.ASCII)


def is_name(name: str) -> bool:
    """Return whether a name is valid for a field or an enum symbol, and for a type without namespace."""
    return _NAME.fullmatch(name) is not None


def is_full_name(name: str) -> bool:
    """Return whether a name is valid for a type, with or without namespace."""
    return _FULL_NAME.fullmatch(name) is not None


def simple_name(full_name: Any) -> str:
    """Return a full name without its namespace."""
    return str(full_name).rpartition(".")[2]


def camel_case(name: str) -> str:
    """Return `min_price` as `minPrice`, exactly as the JSON codecs do.

    Names in camelCase stay as they are. Every word becomes title case, also after a digit, as in `p50Ms`.
    """
    if re.fullmatch(r"[a-z]+[A-Za-z0-9]*", name) and not re.search(r"[0-9][a-z]", name):
        return name
    words = [word.title() for word in re.split(r"(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])", name)]
    start = len(name) - len(name.lstrip("_"))
    joined = "".join(words)
    return joined[:start] + joined[start : start + 1].lower() + joined[start + 1 :]
