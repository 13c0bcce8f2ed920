"""Finds JSON that can be decoded, but neither stored nor written again: numbers without an end, and values nested too deeply."""

import re
from collections.abc import Iterable, Sequence
from math import isinf
from sys import float_info
from typing import Any, Final

from pydantic_core import from_json

from eddyline.application.ports.codec import CodecError

MAX_DEPTH: Final = 64
"""The greatest depth of a value in a topic."""
MAX_STATE_DEPTH: Final = 90
"""The greatest depth of a value in state, where keys and timestamps surround the values of topics; pydantic decodes 98."""

OUT_OF_RANGE: Final = "a number is out of range: JSON numbers are at most 1.8e308"

_ALWAYS_SHALLOW_BYTES: Final = 2 * MAX_DEPTH
_MAX_DIGITS: Final = 308
_OUTLINE: Final = bytes.maketrans(b"123456789E", b"000000000e")
_HUGE_EXPONENT: Final = b"0e000"
_HUGE_NUMBER: Final = b"0" * (_MAX_DIGITS + 1)
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BRACKETS: Final = re.compile(rb"[\[\]{}]")


def check_depth(data: bytes, limit: int) -> None:
    """Check the depth of JSON; what has few brackets is not looked at any further.

    Raises:
        CodecError: the JSON is nested more deeply than the limit.
    """
    if data.count(b"[") + data.count(b"{") <= limit:
        return
    depth = 0
    for bracket in _BRACKETS.findall(_STRING.sub(b"", data)):
        depth += 1 if bracket in b"[{" else -1
        if depth > limit:
            raise CodecError(f"JSON is nested more than {limit} levels deep")


def is_within_limits(column: Sequence[bytes], lines: bytes) -> bool:
    """Return whether none of many JSON values is nested too deeply, or contains an integer that is greater than any float.

    It may return False of values with many brackets or digits that are within the limits.

    Args:
        column: The values.
        lines: All of them.
    """
    longest = max(map(len, column))
    if longest > _MAX_DIGITS and _HUGE_NUMBER in lines.translate(_OUTLINE):
        return False
    return longest <= _ALWAYS_SHALLOW_BYTES or all(data.count(b"[") + data.count(b"{") <= MAX_DEPTH for data in column)


def check_numbers(data: bytes, value: Any) -> None:
    """Check the numbers of a decoded value; those of JSON without long numbers and large exponents are not looked at.

    Raises:
        CodecError: a number is greater than any float, so that it cannot be written as JSON again, or computed with.
    """
    outline = data.translate(_OUTLINE, b"+")
    if (_HUGE_EXPONENT in outline or (len(data) > _MAX_DIGITS and _HUGE_NUMBER in outline)) and any(
        map(_is_huge, _scalars(value))
    ):
        raise CodecError(OUT_OF_RANGE)


def check_untyped_parts(data: bytes) -> None:
    """Check the numbers of JSON that was decoded into a type with untyped parts; what has no suspicious ones is not parsed.

    Raises:
        CodecError: a number is greater than any float, or is one of the constants that are not JSON: NaN and Infinity.
    """
    outline = data.translate(_OUTLINE, b"+")
    if (
        _HUGE_EXPONENT in outline
        or b"NaN" in data
        or b"Infinity" in data
        or (len(data) > _MAX_DIGITS and _HUGE_NUMBER in outline)
    ):
        check_all_numbers(data)


def check_all_numbers(data: bytes) -> None:
    """Check the numbers of JSON that has been decoded before.

    Raises:
        CodecError: a number is greater than any float, or is one of the constants that are not JSON: NaN and Infinity.
    """
    try:
        value = from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise CodecError(f"Invalid JSON: {error}") from None
    if any(map(_is_huge, _scalars(value))):
        raise CodecError(OUT_OF_RANGE)


def _is_huge(scalar: Any) -> bool:
    kind = type(scalar)
    return isinf(scalar) if kind is float else kind is int and abs(scalar) > float_info.max


def _scalars(value: Any) -> Iterable[Any]:
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found
        else:
            yield found
