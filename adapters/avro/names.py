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
