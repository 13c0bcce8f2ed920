"""Builds the pydantic type adapter that validates and serializes values of a type."""

import types
import typing
from functools import cache
from typing import Annotated, Any, Optional

from pydantic import ConfigDict, PlainSerializer, PydanticUserError, TypeAdapter
from pydantic.alias_generators import to_camel

from eddyline.adapters.codecs.untyped import UNTYPED
from eddyline.adapters.json.errors import JsonTypeError
from eddyline.adapters.json.untyped import require_preserved, to_jsonable
from eddyline.application.topology.types import type_name

COLLECTIONS = {dict: dict, dict[str, Any]: dict, dict[str, object]: dict, list: list, list[Any]: list, list[object]: list}
"""The types of collections with untyped contents, each with its class."""


@cache
def type_adapter(declared: Any, state: bool, shown_as: Any, finite: bool) -> TypeAdapter[Any]:  # noqa: FBT001 - a cached call
    """Return the adapter of a type or None.

    Args:
        declared: the type.
        state: whether the JSON is for state, which must preserve every value, rather than for topics.
        shown_as: the type that errors name.
        finite: whether not-a-number and infinity are refused.

    Raises:
        JsonTypeError: JSON cannot represent the type.
    """
    config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
        ser_json_inf_nan="constants" if state else "strings",
        allow_inf_nan=not finite,
    )
    serializer = PlainSerializer(require_preserved if state else to_jsonable)
    try:
        optional: Any = Optional[_with_serializer(declared, serializer)]  # noqa: UP045 - the type is a value here
        return TypeAdapter(optional, config=config)
    except (PydanticUserError, NameError) as error:
        raise JsonTypeError(
            f"JSON cannot represent type '{type_name(shown_as)}': {str(error).splitlines()[0].partition('. ')[0]}; "
            "use a dataclass of strings, numbers, dates, lists, dicts and other dataclasses, or another codec for this topic"
        ) from error


def has_untyped_parts(adapter: TypeAdapter[Any]) -> bool:
    """Return whether a part of a type holds whatever the JSON holds."""
    waiting: list[Any] = [adapter.core_schema]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            if found.get("type") == "any":
                return True
            waiting += found.values()
        elif isinstance(found, list | tuple):
            waiting += found
    return False


def _with_serializer(declared: Any, serializer: PlainSerializer) -> Any:
    """Annotate every untyped part of a type with the serializer."""
    if declared in UNTYPED:
        return Annotated[Any, serializer]
    if declared in COLLECTIONS:
        return Annotated[declared, serializer]
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if origin in (None, Annotated, typing.Literal):
        return declared
    annotated = tuple(_with_serializer(argument, serializer) for argument in arguments)
    if annotated == arguments:
        return declared
    return typing.Union[annotated] if origin in (typing.Union, types.UnionType) else origin[annotated]  # noqa: UP007 - a value
