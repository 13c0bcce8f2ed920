"""The kinds of classes that are records: dataclasses, also those of pydantic, pydantic models, NamedTuples and TypedDicts."""

import dataclasses
import typing
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from eddyline.adapters.avro.errors import AvroSchemaError, TypeMismatchError
from eddyline.adapters.codecs.errors import described
from eddyline.application.topology.forms.records import is_named_tuple
from eddyline.application.topology.types import is_typed_dict, required_keys

_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class DeclaredField(NamedTuple):
    """A field of a class: its type, its default or MISSING, its default factory, and what is said of it besides.

    A field that is not required is a key that a TypedDict may lack.
    """

    name: str
    hint: Any
    default: Any = dataclasses.MISSING
    factory: Callable[[], Any] | None = None
    metadata: Mapping[str, Any] = _NOTHING
    is_required: bool = True


def is_record(python: Any) -> bool:
    """Return whether values of a class are records."""
    return dataclasses.is_dataclass(python) or _is_model(python) or is_named_tuple(python) or is_typed_dict(python)


def declared_fields(python: Any) -> list[DeclaredField]:
    """Return the fields of a class in their order.

    Raises:
        AvroSchemaError: the type of a field is unknown.
    """
    hints = _type_hints(python)
    if _is_model(python):
        return [_of_model(name, hints.get(name), info) for name, info in python.__pydantic_fields__.items()]
    if dataclasses.is_dataclass(python):
        return [_of_dataclass(each, hints[each.name]) for each in dataclasses.fields(python) if each.init]
    if is_named_tuple(python):
        defaults = python._field_defaults
        return [DeclaredField(name, hints[name], defaults.get(name, dataclasses.MISSING)) for name in python._fields]
    required = required_keys(python)
    return [DeclaredField(name, hint, is_required=name in required) for name, hint in hints.items()]


def getter(python: Any, attributes: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what gets the values of some fields of an object; keys that a TypedDict lacks are None.

    It raises TypeMismatchError for a tuple of another length, and for a dict with keys that its TypedDict does not have.
    """
    if python is tuple:
        return partial(_of_length, len(attributes))
    if is_typed_dict(python):
        return partial(_of_keys, python, attributes)
    if len(attributes) > 1:
        return attrgetter(*attributes)
    return lambda value: tuple([getattr(value, attribute) for attribute in attributes])


def creator(python: Any, attributes: Sequence[str], *, has_all: bool) -> Callable[[Sequence[Any]], Any] | None:
    """Return what creates an object from the values of some fields, or of all; the others have their defaults.

    It is None if the class itself takes them by position.
    """
    if python is tuple:
        return tuple
    if is_typed_dict(python):
        required = required_keys(python)
        optional = [name not in required for name in attributes]
        return lambda values: {
            name: value
            for name, value, may_lack in zip(attributes, values, optional, strict=True)
            if value is not None or not may_lack
        }
    if _is_model(python):
        validate = python.__pydantic_validator__.validate_python
        return lambda values: validate(dict(zip(attributes, values, strict=True)), by_alias=False, by_name=True)
    is_keyword_only = dataclasses.is_dataclass(python) and any(each.kw_only for each in dataclasses.fields(python))
    if has_all and not is_keyword_only:
        return None
    return lambda values: python(**dict(zip(attributes, values, strict=True)))


def instance_class(python: Any) -> Any:
    """Return the class whose instances are values of a record: dict for a TypedDict."""
    return dict if is_typed_dict(python) else python


def _of_length(length: int, value: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(value) != length:
        raise TypeMismatchError(f"expected a tuple of {length}, found {described(value)}")
    return value


def _of_keys(python: Any, keys: Sequence[str], value: Mapping[str, Any]) -> tuple[Any, ...]:
    unknown = next((key for key in value if key not in python.__annotations__), None)
    if unknown is not None:
        raise TypeMismatchError(f"{python.__name__} has no key {unknown!r}")
    return tuple([value.get(key) for key in keys])


def _is_model(python: Any) -> bool:
    return hasattr(python, "__pydantic_fields__") and hasattr(python, "__pydantic_validator__")


def _of_model(name: str, hint: Any, info: Any) -> DeclaredField:
    factory = info.default_factory
    default = dataclasses.MISSING if factory is not None or info.is_required() else info.default
    is_open = hint is None or isinstance(hint, typing.TypeVar) or bool(getattr(hint, "__parameters__", None))
    return DeclaredField(name, info.annotation if is_open else hint, default, factory)


def _of_dataclass(each: "dataclasses.Field[Any]", hint: Any) -> DeclaredField:
    factory = None if each.default_factory is dataclasses.MISSING else each.default_factory
    return DeclaredField(each.name, hint, each.default, factory, each.metadata)


def _type_hints(python: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(python, include_extras=True)
    except NameError as error:
        raise AvroSchemaError(
            f"{python.__name__}: {error}; define the types of its fields at the top level of its module"
        ) from error
