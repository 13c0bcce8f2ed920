"""Settings given as `--set NAME=VALUE`."""

import json
import types
from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import Enum
from pathlib import Path
from typing import Any, Union, get_args, get_origin

from eddyline.adapters.cli.errors import UsageError
from eddyline.application.flows.flow import Setting
from eddyline.application.topology.windows import milliseconds


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
    """Return the value of a flow's setting; what it cannot be stays text, which the flow refuses.

    It is text as it is if the setting takes text; else a duration, decimal number, name or value of an enumeration, path, date or
    time if it takes one; else JSON. A list may be written a,b,c.
    """
    alternatives = _alternatives(setting.type)
    if str in alternatives:
        return text
    for annotation in alternatives:
        found = _converted(annotation, text)
        if found is not text:
            return found
    element = next((get_args(each)[0] for each in alternatives if _is_collection(each) and get_args(each)), Any)
    given = _json(text)
    if isinstance(given, str | int | float) and any(map(_is_collection, alternatives)):
        parts = [part.strip() for part in text.split(",")]
        return [_item(element, part, part if str in _alternatives(element) else _json(part)) for part in parts]
    if isinstance(given, list):
        return [_item(element, item if isinstance(item, str) else json.dumps(item), item) for item in given]
    return given


def _json(text: str) -> Any:
    """Return the value that a text is in JSON, or the text itself if it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _item(annotation: Any, text: str, item: Any) -> Any:
    """Return an item of a list as its type, or as it is, if it is not written as text."""
    found = (_converted(each, text) for each in _alternatives(annotation))
    return next((value for value in found if value is not text), item)


def _converted(annotation: Any, text: str) -> Any:
    """Return the value of a type whose values are written as text, or the text itself if it is none of them."""
    if not isinstance(annotation, type):
        return text
    if issubclass(annotation, Enum):
        return next((each for each in annotation if text in (each.name, str(each.value))), text)
    try:
        if annotation is timedelta:
            return timedelta(milliseconds=milliseconds(text, "a setting", least=None))
        if annotation in (Decimal, Path):
            return annotation(text)
        if annotation in (datetime, date):
            return annotation.fromisoformat(text)
    except (ValueError, InvalidOperation):
        pass
    return text


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    return get_args(annotation) if get_origin(annotation) in (Union, types.UnionType) else (annotation,)


def _is_collection(annotation: Any) -> bool:
    plain = get_origin(annotation) or annotation
    return isinstance(plain, type) and issubclass(plain, Collection) and not issubclass(plain, Mapping | Enum)
