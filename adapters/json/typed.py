"""JSON of a type that is known: pydantic reads and writes standard dataclasses, which need not know it."""

import types
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, Optional

from pydantic import ConfigDict, PlainSerializer, PydanticUserError, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from eddyline.adapters.json.errors import JsonTypeError, undecodable, unencodable
from eddyline.adapters.json.plain import jsonable, unchanged
from eddyline.application.ports.codec import Codec
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.types import UNKNOWN, type_name

UNTYPED = (Any, object, UNKNOWN)
"""The types of what may be anything."""

OPEN_ENDED = {dict: dict, dict[str, Any]: dict, dict[str, object]: dict, list: list, list[Any]: list, list[object]: list}
"""The types that say no more than which kind of JSON it is."""

_SCALARS = frozenset({str, int, float, bool, type(None)})
_LEAST_FIELDS = 2


class TypedJsonCodec(Codec):
    """Values of one type: a dataclass, tuple, list, dict, number, date, Decimal, UUID, enum, … or a union of such.

    `state` is True for what only this program reads again: it holds not-a-number and infinity as such, and refuses what JSON
    would not give back as it was; for topics these two are texts, as Java programs write them.
    `called` is the type that errors name. Raises JsonTypeError for a type that has no JSON.
    """

    def __init__(self, found: Any, *, state: bool = False, called: Any = None) -> None:
        self._found = found
        self._state = state
        self._called = called or found
        adapter = self._adapter = _adapter(found, state, self._called)
        self._validate = adapter.validator.validate_json
        self._serialize = adapter.serializer.to_json
        self._flat, self._fields_of = _flat(found)
        self._sound: set[tuple[type, ...]] = set()

    def __reduce__(self) -> tuple[Any, ...]:
        return _typed, (self._found, self._state, self._called)

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of what is written, null among it."""
        return self._adapter.json_schema(by_alias=True, mode="serialization")

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        kinds = None
        try:
            if type(value) is self._flat:
                kinds = tuple(map(type, self._fields_of(value)))
                if kinds in self._sound:
                    return self._serialize(value, by_alias=True, warnings=False)
            data = self._serialize(value, by_alias=True, warnings="error")
        except (ValueError, TypeError, RecursionError) as error:
            raise unencodable(self._called, value, error) from None
        if kinds is not None and _SCALARS.issuperset(kinds):
            self._sound.add(kinds)
        return data

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        try:
            return self._validate(data)
        except ValidationError as error:
            raise undecodable(self._called, error) from None


def _flat(found: Any) -> tuple[type | None, Callable[[Any], tuple[Any, ...]]]:
    """The type, and what gives the fields of its values, for dataclasses of texts and numbers; None for all other types.

    Whether such a value may be written depends on the types in it alone, and looking at them costs a third of having pydantic
    look.
    """
    if not isinstance(found, type) or not is_dataclass(found):
        return None, _no_fields
    try:
        hints = typing.get_type_hints(found)
    except NameError:
        return None, _no_fields
    names = [field.name for field in fields(found)]
    types_of = [typing.get_args(hints[name]) or (hints[name],) for name in names]
    if len(names) < _LEAST_FIELDS or not all(map(_SCALARS.issuperset, types_of)):
        return None, _no_fields
    return found, attrgetter(*names)


def _no_fields(_value: Any) -> tuple[Any, ...]:
    return ()


def _typed(found: Any, state: bool, called: Any) -> TypedJsonCodec:  # noqa: FBT001 - pickle calls it by position
    return TypedJsonCodec(found, state=state, called=called)


@cache
def _adapter(found: Any, state: bool, called: Any) -> TypeAdapter[Any]:  # noqa: FBT001 - a key of the cache
    config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        ser_json_bytes="base64",
        val_json_bytes="base64",
        ser_json_inf_nan="constants" if state else "strings",
    )
    try:
        optional: Any = Optional[_guarded(found, PlainSerializer(unchanged if state else jsonable))]  # noqa: UP045 - the type is a value here
        return TypeAdapter(optional, config=config)
    except (PydanticUserError, NameError) as error:
        raise JsonTypeError(
            f"{type_name(called)} has no JSON: {str(error).splitlines()[0].partition('. ')[0]}; "
            "use a dataclass of texts, numbers, dates, lists, dicts and other dataclasses, or another codec for this topic"
        ) from error


def _guarded(found: Any, guard: PlainSerializer) -> Any:
    """The type, with the guard wherever it leaves open what is in a value."""
    if found in UNTYPED:
        return Annotated[Any, guard]
    if found in OPEN_ENDED:
        return Annotated[found, guard]
    origin, arguments = typing.get_origin(found), typing.get_args(found)
    if origin in (None, Annotated, typing.Literal):
        return found
    replaced = tuple(_guarded(argument, guard) for argument in arguments)
    if replaced == arguments:
        return found
    return typing.Union[replaced] if origin in (typing.Union, types.UnionType) else origin[replaced]  # noqa: UP007 - a value
