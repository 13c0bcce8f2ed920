"""The shapes that values can have in Avro, read from Python types once, so that schema, writing and reading agree.

A shape is plain data; nothing in here knows a byte. Names on the wire are camelCase.
"""

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, TypeAlias


class AvroSchemaError(TypeError):
    """A type has no Avro form; the message names the place, the type, what there is and the cure."""


@dataclass(frozen=True, eq=False)
class Primitive:
    """A value that Avro has a type of its own for; `python` is its class, `avro` the name of the type."""

    python: type
    avro: str


@dataclass(frozen=True, eq=False)
class Logical:
    """A value that Avro keeps as another type; `properties` are what the schema says besides the type `avro`."""

    python: type
    avro: str
    properties: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Array:
    """A list, or a tuple of any length where `python` is tuple."""

    python: type
    items: "Shape"


@dataclass(frozen=True, eq=False)
class Dictionary:
    """A dict with text keys: Avro's map."""

    values: "Shape"


@dataclass(frozen=True, eq=False)
class Enumeration:
    """An Enum, by the names of its members; a member named UNKNOWN stands for every symbol that the reader does not know."""

    python: type[Enum]
    name: str

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the members, in order."""
        return tuple(member.name for member in self.python)

    @property
    def default(self) -> str | None:
        """The symbol that a reader takes for one that it does not know."""
        return "UNKNOWN" if "UNKNOWN" in self.python.__members__ else None


@dataclass(frozen=True, eq=False)
class Choice:
    """A Literal: one of `values`, each of the primitive shape `base`."""

    values: tuple[Any, ...]
    base: Primitive


@dataclass(frozen=True, eq=False)
class Union:
    """One of several shapes."""

    branches: "tuple[Shape, ...]"


@dataclass(frozen=True, eq=False)
class RecordField:
    """A field of a dataclass: `attribute` in Python, `name` on the wire."""

    attribute: str
    name: str
    shape: "Shape"
    default: Any = dataclasses.MISSING
    default_factory: Callable[[], Any] | None = None

    @property
    def optional(self) -> bool:
        """Whether the dataclass can be made without it."""
        return self.default is not dataclasses.MISSING or self.default_factory is not None


@dataclass(frozen=True, eq=False)
class Record:
    """A dataclass; `fields` are filled after the shape is made, since a dataclass may hold itself."""

    python: type
    name: str
    fields: list[RecordField] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Anything:
    """A value of any form that JSON has; Avro keeps it in a record of this name with the one field `value`."""

    name: str


Shape: TypeAlias = Primitive | Logical | Array | Dictionary | Enumeration | Choice | Union | Record | Anything

NULL: Final = Primitive(type(None), "null")
STRING: Final = Primitive(str, "string")
LONG: Final = Primitive(int, "long")
DOUBLE: Final = Primitive(float, "double")
BOOLEAN: Final = Primitive(bool, "boolean")
BYTES: Final = Primitive(bytes, "bytes")

ANYTHING: Final = "JsonValue"
"""The simple name of the record that keeps a value of any form."""

PRIMITIVES: Final[Mapping[object, Primitive]] = {shape.python: shape for shape in (NULL, STRING, LONG, DOUBLE, BOOLEAN, BYTES)}


def branch_name(shape: Shape) -> str:
    """The name that tells a branch of a union from the others."""
    match shape:
        case Primitive() | Logical():
            return shape.avro
        case Record() | Enumeration() | Anything():
            return shape.name
        case Choice():
            return shape.base.avro
        case Array():
            return "array"
        case Dictionary():
            return "map"
        case Union():
            raise AvroSchemaError("a union cannot be a branch of a union")


def camel_case(name: str) -> str:
    """`min_price` as `minPrice`; what is camelCase already stays. Every word is title case, as in `p50Ms`, also after a digit."""
    if re.fullmatch(r"[a-z]+[A-Za-z0-9]*", name) and not re.search(r"[0-9][a-z]", name):
        return name
    words = [word.title() for word in re.split(r"(?<=[A-Za-z0-9])_(?=[A-Za-z0-9])", name)]
    start = len(name) - len(name.lstrip("_"))
    joined = "".join(words)
    return joined[:start] + joined[start : start + 1].lower() + joined[start + 1 :]
