"""Errors of one line about values and bytes: the type, the path of the field, and the problem."""

import re
from dataclasses import is_dataclass

from pydantic import ValidationError

from eddyline.adapters.codecs.errors import expected_found, in_one_line, shortened
from eddyline.application.ports.codec import CodecError, UnsupportedTypeError
from eddyline.application.topology.types import type_name

_MAX_PROBLEMS = 3
_SELF_EXPLANATORY = ("missing", "json_invalid", "value_error")
_UNKNOWN_TYPE = re.compile(r"Unable to serialize unknown type: <class '(?:[^']*\.)?([^'.]+)'>")
_UNEXPECTED = re.compile(
    r"Expected `(?P<expected>[^`]*)`.*?\[(?:field_name='(?P<field>[^']*)', )?"
    r"input_value=(?P<value>.*), input_type=(?P<kind>[^\]]*)\]"
)


class JsonTypeError(UnsupportedTypeError):
    """A type that JSON cannot represent; the message names the type and the alternatives."""


def decode_error(declared: object, error: Exception) -> CodecError:
    """Return the error for bytes that hold no value of the declared type, whose validators may raise anything."""
    if not isinstance(error, ValidationError):
        return CodecError(f"{type_name(declared)}: {in_one_line(error)}")
    problems = error.errors(include_url=False, include_context=False)
    lines = []
    for problem in problems[:_MAX_PROBLEMS]:
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"]).lstrip(".")
        found = "" if problem["type"] in _SELF_EXPLANATORY else f", not {shortened(problem['input'])}"
        message = problem["msg"].removeprefix("Value error, ")
        lines.append(f"{path}: {message}{found}" if path else f"{message}{found}")
    if len(problems) > len(lines):
        lines.append(f"and {len(problems) - len(lines)} more")
    return CodecError(f"{type_name(declared)}: {'; '.join(lines)}")


def encode_error(declared: object, value: object, error: Exception) -> CodecError:
    """Return the error for a value that cannot be encoded as JSON of the declared type."""
    if is_dataclass(declared) and isinstance(declared, type) and not isinstance(value, declared):
        return CodecError(f"{type_name(declared)}: {expected_found(type_name(declared), value)}")
    problems = [
        f"{found['field'] + ': ' if found['field'] else ''}expected {found['expected']}, found {found['kind']} {found['value']}"
        for found in _UNEXPECTED.finditer(str(error))
    ]
    innermost = " ".join(str(error).rpartition("Error: ")[-1].split())
    unknown = _UNKNOWN_TYPE.search(innermost)
    if unknown is not None:
        innermost = (
            f"JSON cannot represent type '{unknown[1]}'; use dataclasses, dicts, lists, strings, numbers and dates, or another "
            "codec for this topic"
        )
    return CodecError(f"{type_name(declared)}: {'; '.join(problems) or innermost}")
