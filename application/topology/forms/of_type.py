"""Finds the form of a type; each part of the type is looked at once."""

import collections
import typing
from collections import deque
from collections.abc import (
    Collection,
    Iterable,
    Mapping,
    MutableMapping,
    MutableSequence,
    MutableSet,
    Sequence,
)
from collections.abc import Set as AbstractSet
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Final, TypeVar

from eddyline.application.topology.forms.containers import DICTS, AnyOfForm, DequeForm, DictForm, ListForm, TupleForm
from eddyline.application.topology.forms.form import Form, NoFormError
from eddyline.application.topology.forms.records import (
    NamedTupleForm,
    ObjectForm,
    TypedDictForm,
    field_types,
    has_fields,
    is_named_tuple,
    substituted,
    type_arguments,
)
from eddyline.application.topology.forms.scalars import SCALARS, EnumForm, LiteralForm
from eddyline.application.topology.forms.times import TIMES
from eddyline.application.topology.forms.unions import NullableForm, UnionForm, UntypedForm
from eddyline.application.topology.types import RESOLVING, UNKNOWN, is_typed_dict, type_name

_UNTYPED: Final = (Any, object, UNKNOWN)
_ANNOTATIONS: Final = (typing.Annotated, typing.Final, typing.ClassVar)
_ABSTRACT: Final[Mapping[Any, tuple[type, ...]]] = {
    Sequence: (list, tuple),
    MutableSequence: (list,),
    Iterable: (list, tuple, set, frozenset),
    Collection: (list, tuple, set, frozenset),
    AbstractSet: (set, frozenset),
    MutableSet: (set,),
}
_ABSTRACT_DICTS: Final = (Mapping, MutableMapping)
_NOT_BASES: Final = ("abc", "builtins", "collections.abc", "enum", "typing")
_USE: Final = "use a dataclass of text, numbers, dates, lists, dicts and other dataclasses"

_found: dict[Any, Form] = {**SCALARS, **TIMES, **{untyped: UntypedForm() for untyped in _UNTYPED}}


def form_of(declared: Any) -> Form:
    """Return the form of a type.

    Raises:
        NoFormError: state cannot represent the type.
    """
    try:
        found = _found.get(declared)
    except TypeError:  # of an annotation that has no hash
        return _form(declared, declared)
    if found is None:
        before = set(_found)
        try:
            found = _found[declared] = _form(declared, declared)
        except NoFormError:
            for added in _found.keys() - before:  # they may contain what has no form
                del _found[added]
            raise
    return found


def _form(declared: Any, shown: Any) -> Form:
    origin, arguments = typing.get_origin(declared), typing.get_args(declared)
    if origin in _ANNOTATIONS:
        return form_of(arguments[0])
    if hasattr(declared, "__supertype__"):
        return form_of(declared.__supertype__)
    if type(declared).__name__ == "TypeAliasType":
        return form_of(declared.__value__)
    if isinstance(declared, TypeVar):
        return form_of(declared.__bound__ or typing.Union[declared.__constraints__ or (Any,)])  # noqa: UP007 - a value
    if origin in (typing.Union, UnionType):
        return _union(arguments)
    if origin is typing.Literal:
        return LiteralForm(arguments)
    kind = declared if origin is None else origin
    if not isinstance(kind, type):
        raise _no_form(shown, f"'{type_name(declared)}' is no class")
    return _collection(kind, arguments) or _of_class(declared, kind, arguments)


def _union(arguments: Sequence[Any]) -> Form:
    others = [argument for argument in arguments if argument is not NoneType]
    if any(argument in _UNTYPED for argument in others):
        return UntypedForm()
    inner = form_of(others[0]) if len(others) == 1 else UnionForm({other: form_of(other) for other in others}, form_of)
    return inner if len(others) == len(arguments) else NullableForm(inner)


def _collection(kind: type, arguments: Sequence[Any]) -> Form | None:
    """Return the form of a type of collections, None for another type."""
    if kind is tuple and (not arguments or arguments[-1] is not Ellipsis) and (arguments or kind is not tuple):
        return TupleForm([form_of(argument) for argument in arguments])
    if kind in (list, set, frozenset, tuple):
        return ListForm(kind, form_of(arguments[0] if arguments else Any))
    if kind is deque:
        return DequeForm(form_of(arguments[0] if arguments else Any))
    if kind in _ABSTRACT:
        element = form_of(arguments[0] if arguments else Any)
        return AnyOfForm(kind.__name__, [ListForm(each, element) for each in _ABSTRACT[kind]])
    if kind is collections.Counter:
        return DictForm(kind, form_of(arguments[0] if arguments else str), form_of(int))
    if kind in DICTS or kind in _ABSTRACT_DICTS:
        key, value = (str if arguments and arguments[0] in _UNTYPED else arguments[0], arguments[1]) if arguments else (str, Any)
        factory = typing.get_origin(value) or value if kind is collections.defaultdict else None
        return DictForm(DICTS.get(kind, dict), form_of(key), form_of(value), factory)
    return None


def _of_class(declared: Any, kind: type, arguments: Sequence[Any]) -> Form:
    if issubclass(kind, Enum) and kind.__members__:
        return EnumForm(kind)
    if is_typed_dict(kind):
        return TypedDictForm(kind, _fields(kind, arguments))
    if is_named_tuple(kind):
        return NamedTupleForm(kind, _fields(kind, arguments))
    if has_fields(kind):
        form = _found[declared] = ObjectForm(kind, form_of)
        form.set_fields(_fields(kind, arguments))
        return form
    if kind.__module__ not in _NOT_BASES and any(map(has_fields, _subclasses(kind))):
        form = ObjectForm(kind, form_of, has_values=False)
        form.set_fields({})
        return form
    raise _no_form(declared, f"the fields of class '{type_name(kind)}' are not declared")


def _fields(kind: Any, arguments: Sequence[Any]) -> dict[str, Form]:
    try:
        hints = typing.get_type_hints(kind)
    except (NameError, TypeError) as error:
        raise NoFormError(f"the types of the fields of '{type_name(kind)}' cannot be resolved: {error}; {RESOLVING}") from error
    variables = type_arguments(kind, arguments)
    found = {}
    for name, hint in field_types(kind, hints).items():
        try:
            found[name] = form_of(substituted(hint, variables))
        except NoFormError as error:
            raise NoFormError(f"field '{name}' of '{type_name(kind)}': {error}") from error
    return found


def _subclasses(kind: type) -> list[type]:
    found: list[type] = []
    subclass: type
    for subclass in type.__subclasses__(kind):
        found += (subclass, *_subclasses(subclass))
    return found


def _no_form(declared: Any, reason: str) -> NoFormError:
    return NoFormError(f"state cannot represent type '{type_name(declared)}': {reason}; {_USE}")
