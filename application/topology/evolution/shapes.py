"""The shapes of types: what an encoded value of a type looks like, as JSON, so that they can be compared between versions."""

import dataclasses
import enum
import types
import typing
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from eddyline.application.topology.types import UNKNOWN, required_keys, type_name

Shape: TypeAlias = Any
"""What `json.loads` returns: a name of a type, or a dict with one member that says what kind of type it is."""

_UNKNOWN: Final = "unknown"
_NONE: Final = "None"
_SCALARS: Final = frozenset({"unknown", "str", "int", "float", "bool"})


class Comparison(NamedTuple):
    """How a type differs from its previous version: what makes old data unreadable, and what does not."""

    problems: tuple[str, ...] = ()
    additions: tuple[str, ...] = ()


def shape_of(found: object) -> Shape:
    """Return the shape of a type. Names of dataclasses are part of it in unions alone, since only there they are encoded."""
    return _shape(found, ())


def compare_shapes(old: Shape, new: Shape) -> Comparison:
    """Return what is different in a type for data that was encoded with the old one and is decoded with the new one.

    New fields need a default. A number may become a float, and a value may become optional.
    """
    problems: list[str] = []
    additions: list[str] = []
    for readable, text in _differences(old, new, ""):
        (additions if readable else problems).append(text)
    return Comparison(tuple(problems), tuple(additions))


def equally_encoded(old: Shape, new: Shape) -> bool:
    """Return whether equal values of both types have equal encodings, as text without and with an annotation has."""
    return old == new or (_UNKNOWN in (old, new) and {str(old), str(new)} <= _SCALARS)


def shape_text(shape: Shape) -> str:
    """Return a shape as a reader writes the type."""
    if isinstance(shape, str):
        return shape
    kind, found = next(iter(shape.items()))
    if kind == "record":
        return "{" + ", ".join(f"{name}: {shape_text(field['type'])}" for name, field in found.items()) + "}"
    if kind == "union":
        return " | ".join(map(shape_text, found))
    if kind == "tagged":
        return str(found[0])
    if kind == "generic":
        return f"{found[0]}[{', '.join(map(shape_text, found[1:]))}]"
    return f"{kind}{found}"


def _shape(found: object, within: tuple[object, ...]) -> Shape:
    if found is UNKNOWN or found is Any:
        return _UNKNOWN
    if found is None or found is type(None):
        return _NONE
    if found in within:
        return {"recursive": type_name(found)}
    within = (*within, found)
    if typing.get_origin(found) is not None:
        return _shape_of_generic(found, within)
    return _shape_of_class(found, within) if isinstance(found, type) else type_name(found)


def _shape_of_generic(found: object, within: tuple[object, ...]) -> Shape:
    origin, arguments = typing.get_origin(found), typing.get_args(found)
    if origin is typing.Annotated:
        return _shape(arguments[0], within)
    if origin is typing.Literal:
        return {"literal": list(map(repr, arguments))}
    if origin in (typing.Union, types.UnionType):
        return {"union": sorted(_shapes_of_members(arguments, within), key=str)}
    parts = ("..." if argument is ... else _shape(argument, within) for argument in arguments)
    return {"generic": [_class_name(origin), *parts]}


def _shapes_of_members(arguments: Sequence[Any], within: tuple[object, ...]) -> Iterator[Shape]:
    """Yield the shapes of the members of a union; if there are several, those that are not JSON as they are have a tag."""
    has_tags = len([argument for argument in arguments if argument is not type(None)]) > 1
    for argument in arguments:
        shape = _shape(argument, within)
        natural = _kind(shape) == "literal" or (isinstance(shape, str) and shape in {_NONE, *_SCALARS})
        yield {"tagged": [type_name(argument), shape]} if has_tags and not natural else shape


def _shape_of_class(found: type, within: tuple[object, ...]) -> Shape:
    if issubclass(found, enum.Enum):
        return {"enum": [repr(member.value if issubclass(found, enum.Flag) else member.name) for member in found]}
    if dataclasses.is_dataclass(found) or typing.is_typeddict(found):
        fields = _fields(found, within)
        return {"type": _class_name(found)} if fields is None else {"record": fields}
    if issubclass(found, tuple) and hasattr(found, "_fields"):
        fields = _fields(found, within)
        return {"type": _class_name(found)} if fields is None else {"generic": ["tuple", *(f["type"] for f in fields.values())]}
    return _class_name(found)


def _fields(found: Any, within: tuple[object, ...]) -> dict[str, Any] | None:
    """Return the fields of a class by name; None if their types cannot be resolved."""
    try:
        hints = typing.get_type_hints(found)
    except (NameError, TypeError):
        return None
    if dataclasses.is_dataclass(found):
        missing = dataclasses.MISSING
        defaults = {f.name: f.default is not missing or f.default_factory is not missing for f in dataclasses.fields(found)}
    else:
        required = required_keys(found) if typing.is_typeddict(found) else hints.keys() - found._field_defaults
        defaults = {name: name not in required for name in hints}
    return {name: {"type": _shape(hints[name], within), "default": default} for name, default in defaults.items()}


def _class_name(found: Any) -> str:
    name = getattr(found, "__qualname__", str(found))
    module = getattr(found, "__module__", "builtins")
    return name if module in ("builtins", "datetime", "decimal", "uuid") or module.startswith("eddyline.") else f"{module}.{name}"


def _differences(old: Shape, new: Shape, path: str) -> Iterator[tuple[bool, str]]:
    """Yield what differs, and whether old data can be read anyway."""
    if equally_encoded(old, new):
        return
    where = f"field '{path}' was" if path else "the type was"
    changed = f"{where} {shape_text(old)} and is {shape_text(new)} now"
    if (old, new) == ("int", "float"):
        yield True, changed
    elif _kind(old) == _kind(new) == "record":
        yield from _record_differences(old["record"], new["record"], path)
    elif _kind(new) == "union":
        yield from _union_differences(old, new, path, changed)
    elif _kind(old) == _kind(new) == "generic" and old["generic"][0] == new["generic"][0] and _same_length(old, new):
        for before, after in zip(old["generic"][1:], new["generic"][1:], strict=True):
            yield from _differences(before, after, f"{path}[]")
    elif _kind(old) == _kind(new) == "tagged" and old["tagged"][0] == new["tagged"][0]:
        yield from _differences(old["tagged"][1], new["tagged"][1], path)
    elif _kind(old) == _kind(new) and _kind(old) in ("enum", "literal"):
        removed = [value for value in old[_kind(old)] if value not in new[_kind(old)]]
        yield not removed, f"{changed}; {', '.join(removed)} cannot be read" if removed else changed
    else:
        yield False, changed


def _union_differences(old: Shape, new: Shape, path: str, changed: str) -> Iterator[tuple[bool, str]]:
    before = old["union"] if _kind(old) == "union" else [old]
    unmatched = [shape for shape in before if shape not in new["union"]]
    rest = [shape for shape in new["union"] if shape not in before and shape != _NONE]
    if not unmatched:
        yield True, changed
    elif len(unmatched) == len(rest) == 1 and rest:
        yield from _differences(unmatched[0], rest[0], path)
    else:
        yield False, changed


def _record_differences(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[tuple[bool, str]]:
    prefix = f"{path}." if path else ""
    for name, field in new.items():
        if name in old:
            yield from _differences(old[name]["type"], field["type"], f"{prefix}{name}")
        elif field["default"]:
            yield True, f"field '{prefix}{name}' is new; it has its default in old entries"
        else:
            yield False, f"field '{prefix}{name}' is new and has no default, so old entries cannot be read; give it a default"
    for name in old.keys() - new.keys():
        yield False, f"field '{prefix}{name}' is gone, so its values would be lost; keep the field"


def _kind(shape: Shape) -> str:
    return next(iter(shape)) if isinstance(shape, dict) else ""


def _same_length(old: Shape, new: Shape) -> bool:
    return len(old["generic"]) == len(new["generic"])
