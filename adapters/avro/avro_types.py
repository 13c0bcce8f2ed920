"""The Avro types of Python types, from which schemas, encoders and decoders are made.

They are plain data, one class for each kind of type; names are those of the schema.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final, TypeAlias

from eddyline.adapters.avro.errors import AvroSchemaError
from eddyline.adapters.avro.names import is_name
from eddyline.application.topology.types import Names


@dataclass(frozen=True, eq=False)
class PrimitiveType:
    """A primitive type: `python` is the class of its values, `avro` its name."""

    python: type
    avro: str


@dataclass(frozen=True, eq=False)
class LogicalType:
    """A logical type: `avro` is the underlying type, `properties` are the other attributes of the schema."""

    python: type
    avro: str
    properties: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class ArrayType:
    """A list, or a tuple of any length where `python` is tuple."""

    python: type
    items: "AvroType"


@dataclass(frozen=True, eq=False)
class MapType:
    """A dict whose keys are strings."""

    values: "AvroType"


@dataclass(frozen=True, eq=False)
class EntriesType:
    """A dict whose keys are not strings: an array of records with this name and the fields key and value, as in Kafka Connect."""

    name: str
    keys: "AvroType"
    values: "AvroType"


@dataclass(frozen=True, eq=False)
class EnumType:
    """An Enum: its symbols are the values of its members, as in other formats, if all are names in Avro, else their names."""

    python: type[Enum]
    name: str

    @property
    def symbol_of(self) -> dict[Enum, str]:
        """The symbol of each member, in order."""
        by_value = all(isinstance(member.value, str) and is_name(member.value) for member in self.python)
        return {member: str(member.value) if by_value else member.name for member in self.python}

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of the members, in order."""
        return tuple(self.symbol_of.values())

    @property
    def default(self) -> str | None:
        """The symbol that replaces unknown symbols when decoding: that of the member UNKNOWN, if there is one."""
        return next((symbol for member, symbol in self.symbol_of.items() if member.name == "UNKNOWN"), None)


@dataclass(frozen=True, eq=False)
class LiteralType:
    """A Literal: one of `values`, all of the primitive type `base`."""

    values: tuple[Any, ...]
    base: PrimitiveType


@dataclass(frozen=True, eq=False)
class UnionType:
    """A union of other types."""

    branches: "tuple[AvroType, ...]"

    def ordered(self, first: "AvroType | None" = None) -> "tuple[AvroType, ...]":
        """Return the branches as a schema has them: `first`, else null, before the others in their declared order."""
        leader = first or next((branch for branch in self.branches if branch_name(branch) == NULL.avro), None)
        if leader is None:
            return self.branches
        return (leader, *(branch for branch in self.branches if branch is not leader))


@dataclass(frozen=True, eq=False)
class RecordField:
    """A field of a dataclass, with its name in Python (`attribute`) and in the schema (`name`).

    `read` has its names in schemas of writers, the one that counts if there are several first; `excluded` fields are not written.
    """

    attribute: str
    name: str
    type: "AvroType"
    read: tuple[str, ...]
    excluded: bool
    default: Any = dataclasses.MISSING
    default_factory: Callable[[], Any] | None = None

    @property
    def optional(self) -> bool:
        """Whether the field has a default."""
        return self.default is not dataclasses.MISSING or self.default_factory is not None


@dataclass(frozen=True, eq=False)
class RecordType:
    """A dataclass, or a tuple; `fields` are appended after its creation, since a dataclass may refer to itself."""

    python: type
    name: str
    fields: list[RecordField] = field(default_factory=list)

    @property
    def written(self) -> list[RecordField]:
        """The fields that are written."""
        return [entry for entry in self.fields if not entry.excluded]


@dataclass(frozen=True, eq=False)
class UntypedType:
    """Any value that JSON can represent: a record with this name and the one field `value`.

    Fields of dataclasses in it have these names.
    """

    name: str
    names: Names


AvroType: TypeAlias = (
    PrimitiveType
    | LogicalType
    | ArrayType
    | MapType
    | EntriesType
    | EnumType
    | LiteralType
    | UnionType
    | RecordType
    | UntypedType
)

SCALARS: Final = (PrimitiveType, LogicalType)

NULL: Final = PrimitiveType(type(None), "null")
STRING: Final = PrimitiveType(str, "string")
LONG: Final = PrimitiveType(int, "long")
DOUBLE: Final = PrimitiveType(float, "double")
BOOLEAN: Final = PrimitiveType(bool, "boolean")
BYTES: Final = PrimitiveType(bytes, "bytes")

MAP_ENTRY: Final = "MapEntry"
"""The beginning of the names of the records of entries, and the mark by which Kafka Connect knows them."""

TUPLE: Final = "Tuple"
"""The beginning of the names of the records of tuples, whose fields are `_0`, `_1`, and so on."""

JSON_VALUE: Final = "JsonValue"
"""The name, without namespace, of the record of untyped values."""

PRIMITIVES: Final[Mapping[object, PrimitiveType]] = {
    primitive.python: primitive for primitive in (NULL, STRING, LONG, DOUBLE, BOOLEAN, BYTES)
}


def branch_name(branch: AvroType) -> str:
    """Return the name that distinguishes a branch of a union from the others."""
    match branch:
        case PrimitiveType() | LogicalType():
            return branch.avro
        case RecordType() | EnumType() | UntypedType():
            return branch.name
        case LiteralType():
            return branch.base.avro
        case ArrayType() | EntriesType():
            return "array"
        case MapType():
            return "map"
        case UnionType():
            raise AvroSchemaError("a union must not be a branch of another union")


def expected_type(reader: AvroType) -> str:
    """Return a type as an error says what was expected."""
    match reader:
        case RecordType():
            return f"record {reader.name}"
        case UnionType():
            return " or ".join(branch_name(branch) for branch in reader.branches)
        case _:
            return branch_name(reader)
