"""Finds the field that fastavro cannot write, since its errors do not name it."""

from typing import Any

from eddyline.adapters.avro.errors import TypeMismatchError
from eddyline.adapters.codecs.errors import shortened

_LONG_BITS = 63


def find_unencodable(datum: Any) -> str | None:
    """Return the path and the reason of an integer or string that Avro cannot represent; None if there is none."""
    try:
        _check(datum)
    except TypeMismatchError as error:
        return str(error)
    return None


def _check(datum: Any) -> None:
    match datum:
        case dict():
            for name, item in datum.items():
                _check(name)
                _check_at(f".{name}", item)
        case list():
            for index, item in enumerate(datum):
                _check_at(f"[{index}]", item)
        case (str(), branch_datum):
            _check(branch_datum)
        case int() if not -(1 << _LONG_BITS) <= datum < 1 << _LONG_BITS:
            raise TypeMismatchError(f"{shortened(datum)} does not fit into the 64 bits of a long")
        case str() if not _is_utf8(datum):
            raise TypeMismatchError(f"{shortened(datum)} has a lone surrogate, which UTF-8 cannot encode")


def _check_at(path: str, item: Any) -> None:
    try:
        _check(item)
    except TypeMismatchError as error:
        raise error.within(path) from None


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
