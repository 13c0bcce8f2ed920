"""What is wrong with a value or with bytes, as one line: the type, the field, the problem."""

import re
from dataclasses import is_dataclass

from pydantic import ValidationError

from eddyline.application.ports.codec import CodecError
from eddyline.application.topology.types import type_name

_SHOWN_PROBLEMS = 3
_SHOWN_TEXT = 60
_UNEXPECTED = re.compile(
    r"Expected `(?P<expected>[^`]*)`.*?\[(?:field_name='(?P<field>[^']*)', )?"
    r"input_value=(?P<value>.*), input_type=(?P<kind>[^\]]*)\]"
)


class JsonTypeError(TypeError):
    """There is no JSON codec for a type; the message names the type and the cure."""


def undecodable(found: object, error: ValidationError) -> CodecError:
    """Why the bytes hold no value of the type `found`."""
    problems = error.errors(include_url=False, include_context=False)
    lines = []
    for problem in problems[:_SHOWN_PROBLEMS]:
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in problem["loc"]).lstrip(".")
        got = "" if problem["type"] in ("missing", "json_invalid") else f", not {_short(problem['input'])}"
        lines.append(f"{place}: {problem['msg']}{got}" if place else f"{problem['msg']}{got}")
    if len(problems) > len(lines):
        lines.append(f"and {len(problems) - len(lines)} more")
    return CodecError(f"{type_name(found)}: {'; '.join(lines)}")


def unencodable(found: object, value: object, error: Exception) -> CodecError:
    """Why the value cannot be written as JSON of the type `found`."""
    if is_dataclass(found) and isinstance(found, type) and not isinstance(value, found):
        return CodecError(f"{type_name(found)}: should be {type_name(found)}, not {type_name(type(value))} {_short(value)}")
    problems = [
        f"{place['field'] + ': ' if place['field'] else ''}should be {place['expected']}, not {place['kind']} {place['value']}"
        for place in _UNEXPECTED.finditer(str(error))
    ]
    innermost = str(error).rpartition("Error: ")[-1]
    return CodecError(f"{type_name(found)}: {'; '.join(problems) or ' '.join(innermost.split())}")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_TEXT else f"{text[:_SHOWN_TEXT]}…"
