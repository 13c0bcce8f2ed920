"""The shapes of types: what an encoded value of a type looks like, as JSON, so that they can be compared between versions."""

import enum
import types
import typing
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from eddyline.application.topology.forms.records import (
    defaults_of,
    field_types,
    has_fields,
    is_named_tuple,
    substituted,
    type_arguments,
)
from eddyline.application.topology.types import UNKNOWN, bare_type, is_typed_dict, required_keys, type_name

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
    if kind == "named":
        return "(" + ", ".join(f"{name}: {shape_text(part)}" for name, part, _ in found) + ")"
    if kind == "record":
        return "{" + ", ".join(f"{name}: {shape_text(field['type'])}" for name, field in found.items()) + "}"
    if kind == "union":
        return " | ".join(map(shape_text, found))
    if kind == "generic":
        return f"{found[0]}[{', '.join(map(shape_text, found[1:]))}]"
    return str(found[0]) if kind == "tagged" else f"{kind}{found}"


def _shape(found: Any, within: tuple[object, ...]) -> Shape:
    found = bare_type(found)
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
    if _has_named_parts(origin):
        return _shape_of_fields(origin, arguments, within)
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
    return _shape_of_fields(found, (), within) if _has_named_parts(found) else _class_name(found)


def _has_named_parts(found: object) -> bool:
    return has_fields(found) or is_typed_dict(found) or is_named_tuple(found)


def _shape_of_fields(found: Any, arguments: Sequence[Any], within: tuple[object, ...]) -> Shape:
    """Return the fields of a class, "named" if they are encoded by position; its name if their types cannot be resolved."""
    try:
        hints = typing.get_type_hints(found)
    except (NameError, TypeError):
        return {"type": _class_name(found)}
    types_of_fields, variables = field_types(found, hints), type_arguments(found, arguments)
    if is_typed_dict(found):
        has_default = set(types_of_fields) - required_keys(found)
    else:
        has_default = set(found._field_defaults if is_named_tuple(found) else defaults_of(found))
    shapes = {name: _shape(substituted(hint, variables), within) for name, hint in types_of_fields.items()}
    if is_named_tuple(found):
        return {"named": [[name, shape, name in has_default] for name, shape in shapes.items()]}
    return {"record": {name: {"type": shape, "default": name in has_default} for name, shape in shapes.items()}}


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
    elif "named" in (_kind(old), _kind(new)) and {_kind(old), _kind(new)} <= {"named", "generic"}:
        yield from _positional_differences(old, new, path, changed)
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


def _positional_differences(old: Shape, new: Shape, path: str, changed: str) -> Iterator[tuple[bool, str]]:
    """Yield what differs in tuples, at least one of which names its fields: names may change, but not their order."""
    before, after = _positions(old), _positions(new)
    if before is None or after is None or len(before) > len(after):
        yield False, changed
        return
    old_names, names = [name for name, _, _ in before], [name for name, _, _ in after]
    moved = [name for name in names if name in old_names and names.index(name) != old_names.index(name)]
    if moved:
        where = f"field '{path}.{moved[0]}'" if path else f"field '{moved[0]}'"
        yield False, f"{where} is at another position, and a NamedTuple is kept by position; keep the order of its fields"
        return
    for index, (name, shape, default) in enumerate(after):
        full = f"{path}.{name}".lstrip(".")
        if index < len(before):
            yield from _differences(before[index][1], shape, full)
        elif default:
            yield True, f"field '{full}' is new; it has its default in old entries"
        else:
            yield False, f"field '{full}' is new and has no default, so old entries cannot be read; give it a default"


def _positions(shape: Shape) -> list[Any] | None:
    """Return name, shape and whether there is a default for each part of a tuple; None for anything else."""
    if _kind(shape) == "named":
        return list(shape["named"])
    name, *parts = shape["generic"]
    return [[f"[{index}]", part, False] for index, part in enumerate(parts)] if name == "tuple" and "..." not in parts else None


def _kind(shape: Shape) -> str:
    return next(iter(shape)) if isinstance(shape, dict) else ""


def _same_length(old: Shape, new: Shape) -> bool:
    return len(old["generic"]) == len(new["generic"])
