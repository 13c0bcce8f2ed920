"""Validates and serializes values of a type by pydantic, with the names and the strictness that a topic has."""

import json
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cache, partial
from typing import Annotated, Any, Final, NotRequired, Optional, Required, cast

from pydantic import ConfigDict, PlainSerializer, PydanticUserError, TypeAdapter
from pydantic_core import SchemaSerializer, SchemaValidator, core_schema
from typing_extensions import TypedDict

from eddyline.adapters.codecs.field_names import FieldName, camel_case, field_names, snake_case
from eddyline.adapters.codecs.untyped import UNTYPED
from eddyline.adapters.json.decimals import DecimalValidator
from eddyline.adapters.json.errors import JsonTypeError
from eddyline.adapters.json.unions import in_order, texts_last
from eddyline.adapters.json.untyped import to_jsonable
from eddyline.application.topology.types import RESOLVING, Names, is_typed_dict, required_keys, type_name

COLLECTIONS = {dict: dict, dict[str, Any]: dict, dict[str, object]: dict, list: list, list[Any]: list, list[object]: list}
"""The types of collections with untyped contents, each with its class."""

CONSTANTS: Final = frozenset({"NaN", "Infinity", "-Infinity"})
"""The strings that stand for numbers which JSON does not have, as Java programs write them."""

_FIELDS: Final = frozenset({"dataclass-field", "model-field", "named-tuple-field", "typed-dict-field"})
_LEAVES: Final = frozenset({"metadata", "default", "expected", "members", "cls", "function"})
"""The entries of pydantic's schemas that hold no schemas."""


_CHANGES: Final = ("post_init", "custom_init", "strip_whitespace", "to_lower", "to_upper")
"""What pydantic's schemas say of a type whose values change when they are read."""


class Shape(typing.NamedTuple):
    """What decides about the JSON of a type.

    Attributes:
        names: The names of its fields.
        strict: Whether values of other types are refused rather than converted.
        finite: Whether not-a-number and infinity are refused.
        constants: Whether the strings NaN, Infinity and -Infinity are numbers.
    """

    names: Names = "as-declared"
    strict: bool = True
    finite: bool = True
    constants: bool = False


TOPIC: Final = Shape()
"""Topics without choices."""


class JsonType(typing.NamedTuple):
    """What pydantic makes of a type or None."""

    schema: Any
    validator: SchemaValidator | DecimalValidator
    serializer: SchemaSerializer


@cache
def json_type(declared: Any, shape: Shape, shown_as: Any) -> JsonType:
    """Return what validates and serializes values of a type or None.

    Args:
        declared: The type.
        shape: What decides about the JSON.
        shown_as: The type that errors name.

    Raises:
        JsonTypeError: JSON cannot represent the type.
        UnsupportedTypeError: Two fields of a class have the same name.
    """
    config = {
        "ser_json_bytes": "base64",
        "val_json_bytes": "base64",
        "ser_json_inf_nan": "strings",
        "allow_inf_nan": not shape.finite,
        "strict": shape.strict,
    }
    serializer = PlainSerializer(partial(to_jsonable, names=shape.names))
    try:
        optional: Any = Optional[_with_serializer(declared, serializer)]  # noqa: UP045 - the type is a value here
        _prepare_typed_dicts(optional, set())
        generated: Any = TypeAdapter(optional, config=typing.cast("ConfigDict", config)).core_schema
    except RecursionError:
        raise _no_json(shown_as, "it contains itself, and is no class") from None
    except (PydanticUserError, NameError) as error:
        raise _no_json(shown_as, str(error).splitlines()[0].partition(". ")[0]) from error
    if not isinstance(generated, dict):
        msg = f"JSON cannot represent type '{type_name(shown_as)}': a name in its annotations cannot be resolved; {RESOLVING}"
        raise JsonTypeError(msg)
    if has_part(generated, "callable"):
        raise _no_json(shown_as, "functions are no values")
    schema = _Rewriter(shape, config).schema(generated)
    core_config = typing.cast("Any", config)
    # what is prebuilt has the names of the class alone
    serializer_of_type = SchemaSerializer(with_sorted_sets(schema), core_config, _use_prebuilt=False)
    validated = _with_strict_scalars(schema) if shape.strict else schema
    if has_part(schema, "decimal"):
        return JsonType(schema, DecimalValidator(validated, core_config), serializer_of_type)
    return JsonType(schema, SchemaValidator(validated, core_config, _use_prebuilt=False), serializer_of_type)


def _no_json(shown_as: Any, reason: str) -> JsonTypeError:
    return JsonTypeError(
        f"JSON cannot represent type '{type_name(shown_as)}': {reason}; "
        "use a dataclass of strings, numbers, dates, lists, dicts and other dataclasses, or another codec for this topic"
    )


def has_part(schema: Any, *kinds: str) -> bool:
    """Return whether a part of a type is of one of these kinds for pydantic, such as `any` for whatever the JSON holds."""
    return any(part.get("type") in kinds for part in _parts(schema))


def has_own_serializer(schema: Any) -> bool:
    """Return whether a function other than those of pydantic and of these codecs writes a part of a type."""
    return any(
        isinstance(written := part.get("serialization"), dict) and not _is_known(written.get("function"))
        for part in _parts(schema)
    )


def may_change(schema: Any) -> bool:
    """Return whether only reading a value shows whether it is kept: functions of its type may change it, or texts its keys."""
    return any(
        str(part.get("type")).startswith("function-") or any(map(part.get, _CHANGES)) or _has_unclear_keys(part)
        for part in _parts(schema)
        if "type" in part
    )


def _has_unclear_keys(part: Mapping[str, Any]) -> bool:
    """Return whether a part is a dict some of whose keys, such as None and "None", may be the same text."""
    return part["type"] == "dict" and part.get("keys_schema", part)["type"] in ("nullable", "literal")


def _is_known(function: Any) -> bool:
    module = getattr(getattr(function, "func", function), "__module__", None) or "pydantic"
    return module.partition(".")[0] in ("eddyline", "pydantic")


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    waiting: list[Any] = [schema]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            yield found
            waiting += found.values()
        elif isinstance(found, list | tuple):
            waiting += found


class _Rewriter:
    """Rewrites pydantic's schemas so that fields have their names; classes keep what their own configuration says."""

    def __init__(self, shape: Shape, config: Mapping[str, Any]) -> None:
        self._names, self._constants, self._config = shape.names, shape.constants, config

    def schema(self, found: Any, owner: Any = None) -> Any:
        """Return a schema, or a part of it, in the class that owns it."""
        if isinstance(found, list | tuple):
            return type(found)([self.schema(each, owner) for each in found])
        if not isinstance(found, dict):
            return found
        kind = found.get("type")
        owner = found.get("cls", owner)
        new = {name: each if name in _LEAVES else self._part(name, each, owner) for name, each in found.items()}
        if kind == "tagged-union" and isinstance(found["discriminator"], str):
            tag = found["discriminator"]
            spellings = list(dict.fromkeys((tag, camel_case(tag), snake_case(tag))))
            new["discriminator"] = tag if len(spellings) == 1 else [[name] for name in spellings]
        elif kind == "union":
            new = in_order(new)
        elif kind == "computed-field" and self._names == "camelCase":
            new.setdefault("alias", camel_case(found["property_name"]))
        if isinstance(found.get("config"), dict):
            new["config"] = {**self._config, **found["config"]}
        if kind == "float" and self._constants:
            return {"type": "function-before", "function": {"type": "no-info", "function": _constant}, "schema": new}
        return new

    def _part(self, name: str, found: Any, owner: Any) -> Any:
        if name == "fields" and isinstance(found, dict):
            return {field: self._field(field, each, owner) for field, each in found.items()}
        if name == "fields":
            return [each if isinstance(each, str) else self._field(each["name"], each, owner) for each in found]
        return found if name == "config" else self.schema(found, owner)

    def _field(self, name: str, found: Mapping[str, Any], owner: Any) -> Any:
        new = self.schema(dict(found), owner)
        if found.get("type") not in _FIELDS:
            return new
        aliases = new.pop("validation_alias", None)
        new.pop("serialization_alias", None)
        names = field_names(owner, self._names).get(name, FieldName(name, name, (name,)))
        new["validation_alias"] = _paths(aliases, names)
        if new["type"] != "named-tuple-field":  # which is written as an array
            new["serialization_alias"] = names.written
        return new


def _paths(aliases: Any, names: FieldName) -> Any:
    """Return where the value of a field is: the paths that pydantic knows, then the other names."""
    paths = [] if aliases is None else [aliases] if isinstance(aliases, str) else aliases
    paths = [[path] if isinstance(path, str) else path for path in paths]
    if paths and not isinstance(aliases, str) and all(not isinstance(path, list) for path in aliases):
        paths = [list(aliases)]  # one path
    paths += [[name] for name in names.read if [name] not in paths]
    return paths[0][0] if len(paths) == 1 and len(paths[0]) == 1 else paths


def _with_strict_scalars(schema: Any) -> Any:
    """Return a schema that refuses what pydantic converts in spite of `strict`: "1" to a datetime, and true to an enum of 1."""
    if isinstance(schema, list | tuple):
        return type(schema)([_with_strict_scalars(each) for each in schema])
    if not isinstance(schema, dict):
        return schema
    new = {name: each if name in _LEAVES else _with_strict_scalars(each) for name, each in schema.items()}
    if schema.get("type") == "union":
        return texts_last(new)
    if schema.get("type") == "datetime":
        text: Any = {
            "type": "custom-error",
            "schema": {"type": "str", "pattern": "^[0-9]{4}-"},
            "custom_error_type": "iso_datetime",
            "custom_error_message": "Input should be a date and a time in ISO 8601",
        }
        return {"type": "chain", "steps": [text, {**new, "strict": False}]}
    if schema.get("type") == "enum" and all(type(member.value) is int for member in schema["members"]):
        return {"type": "chain", "steps": [{"type": "int", "strict": True}, {**new, "strict": False}]}
    return new


def _prepare_typed_dicts(hint: Any, seen: set[Any]) -> None:
    """Let pydantic take each TypedDict of `typing` for one of `typing_extensions`, which it demands before Python 3.12."""
    for argument in typing.get_args(hint):
        _prepare_typed_dicts(argument, seen)
    declared: Any = typing.get_origin(hint) or hint
    if not isinstance(declared, type) or declared in seen:
        return
    seen.add(declared)
    has_keys = is_typed_dict(declared)
    if not (has_keys or is_dataclass(declared) or hasattr(declared, "_fields")):
        return
    try:
        hints = typing.get_type_hints(declared, include_extras=True)
    except (NameError, TypeError):
        return
    for each in hints.values():
        _prepare_typed_dicts(each, seen)
    if has_keys and type(declared).__module__ == "typing" and sys.version_info < (3, 12):
        typed_dict: Any = declared
        required = required_keys(declared)
        fields = {name: (Required if name in required else NotRequired)[_bare(each)] for name, each in hints.items()}
        create: Any = TypedDict  # with fields that are known here alone
        equal = create(typed_dict.__name__, fields)
        typed_dict.__get_pydantic_core_schema__ = lambda _source, handler: handler.generate_schema(equal)


def _bare(hint: Any) -> Any:
    """Return the type of a field without Required and NotRequired."""
    is_marked = typing.get_origin(hint) in (typing.Required, typing.NotRequired)
    return typing.get_args(hint)[0] if is_marked else hint


def _constant(found: Any) -> Any:
    return float(found) if isinstance(found, str) and found in CONSTANTS else found


def _with_serializer(declared: Any, serializer: PlainSerializer) -> Any:
    """Annotate every untyped part of a type with the serializer."""
    if declared in UNTYPED:
        return Annotated[Any, serializer]
    if declared in COLLECTIONS:
        return Annotated[declared, serializer]
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if origin in (None, Annotated, typing.Literal, Callable):
        return declared
    annotated = tuple(_with_serializer(argument, serializer) for argument in arguments)
    if annotated == arguments:
        return declared
    return typing.Union[annotated] if origin in (typing.Union, types.UnionType) else origin[annotated]  # noqa: UP007 - a value


_SETS: Final = ("set", "frozenset")


def with_sorted_sets(schema: Any) -> Any:
    """Return pydantic's schema of a type with serializers of sets that sort: equal sets have equal JSON."""
    if isinstance(schema, list | tuple):
        return type(schema)(map(with_sorted_sets, schema))
    if not isinstance(schema, dict):
        return schema
    found = {name: with_sorted_sets(part) for name, part in schema.items()}
    if found.get("type") in _SETS and "serialization" not in found:
        found["serialization"] = core_schema.wrap_serializer_function_ser_schema(
            lambda value, handler: sorted(handler(value), key=json.dumps), schema=cast("Any", dict(found)), when_used="json"
        )
    return found
