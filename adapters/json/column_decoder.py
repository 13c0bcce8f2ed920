"""Decodes many JSON objects of unknown types at once, by msgspec, in a fifth of the time of one by one."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from eddyline.adapters.json.limits import is_within_limits
from eddyline.adapters.json.nulls import present_in, with_nulls

_decode_lines: Final = msgspec.json.Decoder().decode_lines


def decode_objects(column: Sequence[bytes | None]) -> Sequence[Any] | None:
    """Return many decoded JSON objects, None for None; or None if they must be decoded one by one, by pydantic.

    They must if one of them is not an object, begins or ends with a space, contains a line break or is invalid, or may be beyond
    the limits of JSON. What msgspec accepts, pydantic decodes to the same value.
    """
    present = present_in(column)
    count = len(present)
    lines = b"\n".join(present)
    if not _has_objects_alone(lines, count) or not is_within_limits(present, lines):
        return None
    try:
        decoded = _decode_lines(lines)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    return with_nulls(column, decoded) if len(decoded) == count else None


def _has_objects_alone(lines: bytes, count: int) -> bool:
    """Return whether each line, if it is valid, has at least one object, and nothing else.

    Within JSON, no line break can stand between two brackets of objects such as these, since strings contain none.
    """
    breaks = count - 1
    return lines[:1] == b"{" and lines[-1:] == b"}" and lines.count(b"\n") == breaks == lines.count(b"}\n{")
