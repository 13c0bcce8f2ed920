"""Settings given as `--set NAME=VALUE`."""

import json
import types
from collections.abc import Sequence
from typing import Any, Union, get_args, get_origin

from eddyline.adapters.cli.errors import UsageError
from eddyline.application.flows.flow import Setting


def parse_assignments(assignments: Sequence[str]) -> dict[str, str]:
    """Return the values of `NAME=VALUE` by name.

    Raises:
        UsageError: an assignment has no name or no `=`.
    """
    parsed: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not (name and equals):
            raise UsageError(f"invalid --set '{assignment}'; write it as NAME=VALUE, for example --set num.partitions=8")
        parsed[name] = value
    return parsed


def parse_value(setting: Setting, text: str) -> Any:
    """Return the value of a flow's setting: text as it is if the setting takes text, else JSON; a list may be written a,b,c."""
    alternatives = _alternatives(setting.type)
    if str in alternatives:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return [part.strip() for part in text.split(",")] if any(map(_is_sequence, alternatives)) else text


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,)


def _is_sequence(annotation: Any) -> bool:
    plain = get_origin(annotation) or annotation
    return isinstance(plain, type) and issubclass(plain, Sequence)
