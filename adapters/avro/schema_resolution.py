"""Schema resolution: from the data of a writer's schema to values of the reader's Python type.

Fields are matched by name, whichever spelling the writer has chosen. A field that the writer does not have takes the default of
the dataclass; one that the reader does not have is ignored. Primitive types are promoted, as Avro specifies. Names of records,
without namespace, choose between the records of a union; where there is nothing to choose, a record may have any name, as in
Avro's Java library. Strings are resolved to enums and enums to strings, and arrays of records with the fields key and
value, which Kafka Connect writes for maps, to dicts. A pair of writer's schema and reader's type is resolved once.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatchmethod
from typing import Any

from eddyline.adapters.avro.avro_types import (
    JSON_VALUE,
    SCALARS,
    STRING,
    ArrayType,
    AvroType,
    EntriesType,
    EnumType,
    LiteralType,
    LogicalType,
    MapType,
    PrimitiveType,
    RecordField,
    RecordType,
    UnionType,
    UntypedType,
    branch_name,
    expected_type,
)
from eddyline.adapters.avro.complex_decoders import array_decoder, entries_decoder, map_decoder, record_decoder
from eddyline.adapters.avro.errors import TypeMismatchError
from eddyline.adapters.avro.logical_types import logical_decoder, natural_decoder
from eddyline.adapters.avro.names import simple_name
from eddyline.adapters.avro.promotion import Decoder, lax_decoder, literal_decoder, primitive_decoder
from eddyline.adapters.avro.schema_inspection import RECORDS
from eddyline.adapters.avro.union_decoder import UnionDecoder, unchanged
from eddyline.adapters.avro.writer_schema import NAMED_TYPES, WriterSchema, is_map_entry, mismatch, type_of


@dataclass(frozen=True)
class Resolution:
    """What the comparison of a writer's schema with a reader's type has shown.

    Attributes:
        decode: The decoder of a datum, None if it needs no conversion.
        incompatibilities: Why some of the writer's values cannot be decoded.
        defaulted: The paths of the reader's fields that the writer does not have, and that take their defaults.
        respelled: The names of the writer's fields that the reader would write with another name, with that name.
    """

    decode: Decoder | None
    incompatibilities: tuple[str, ...]
    defaulted: tuple[str, ...]
    respelled: tuple[tuple[str, str], ...]


def resolve(avro_type: AvroType, writer: WriterSchema, *, lax: bool = False) -> Resolution:
    """Resolve a writer's schema to a reader's type; `lax` converts texts, numbers and truth values to each other.

    Raises:
        TypeMismatchError: no datum of the schema can become a value of the type.
    """
    resolver = _Resolver(writer, lax=lax)
    try:
        decode = resolver.decoder(avro_type, writer.root, "")
    except RecursionError:
        raise TypeMismatchError("the writer's schema is nested too deeply") from None
    return Resolution(decode, tuple(resolver.incompatibilities), tuple(resolver.defaulted), tuple(resolver.respelled))


class _Resolver:
    """A resolver of one writer's schema; the argument `path` of its methods is the path of the field for errors."""

    def __init__(self, writer: WriterSchema, *, lax: bool) -> None:
        self._writer, self._lax = writer, lax
        self._records: dict[tuple[int, str], list[Decoder]] = {}
        self._refused: dict[tuple[int, str], TypeMismatchError] = {}
        self.incompatibilities: list[str] = []
        self.defaulted: list[str] = []
        self.respelled: list[tuple[str, str]] = []

    def decoder(self, reader: AvroType, schema: Any, path: str) -> Decoder | None:
        """Return the decoder from a part of the writer's schema to a type; None if its data needs no conversion.

        Raises:
            TypeMismatchError: no datum of the schema can become a value of the type.
        """
        schema = self._writer.resolve(schema)
        if isinstance(schema, list):
            return self._from_union(reader, schema, path)
        try:
            return self._to(reader, schema, path)
        except TypeMismatchError:
            convert = lax_decoder(reader.python, type_of(schema)) if self._lax and isinstance(reader, SCALARS) else None
            if convert is None:
                raise
            return convert

    def _from_union(self, reader: AvroType, branches: list[Any], path: str) -> Decoder | None:
        union = UnionDecoder(path)
        resolved = [self._writer.resolve(branch) for branch in branches]
        has_choice = sum(type_of(branch) in RECORDS for branch in resolved) > 1
        for branch in resolved:
            if has_choice and not _accepts_name(reader, branch):
                union.refuse(branch, TypeMismatchError(mismatch(branch, expected_type(reader)), path))
                continue
            try:
                union.add(branch, self.decoder(reader, branch, path))
            except TypeMismatchError as error:
                union.refuse(branch, error)
        if len(union.refused) == len(branches):
            raise union.refused[0]
        self.incompatibilities.extend(map(str, (*union.refused, *union.ambiguous)))
        return union.decoder()

    @singledispatchmethod
    def _to(self, reader: AvroType, schema: Any, path: str) -> Decoder | None:
        raise TypeMismatchError(mismatch(schema, str(reader)), path)

    @_to.register
    def _(self, reader: UntypedType, schema: Any, path: str) -> Decoder | None:
        kind = type_of(schema)
        if kind == "array" and self._has_entries(schema) and is_map_entry(self._writer.resolve(schema["items"])):
            return self._entries(reader, reader, schema, path)
        if kind == "array":
            return array_decoder(self.decoder(reader, schema["items"], path), list)
        if kind == "map":
            return map_decoder(self.decoder(reader, schema["values"], path))
        return self._record(reader, schema, path) if kind in RECORDS else natural_decoder(schema)

    @_to.register
    def _(self, reader: PrimitiveType, schema: Any, path: str) -> Decoder | None:
        return primitive_decoder(reader, schema, path)

    @_to.register
    def _(self, reader: LogicalType, schema: Any, path: str) -> Decoder | None:
        return logical_decoder(reader, schema, path)

    @_to.register
    def _(self, reader: LiteralType, schema: Any, path: str) -> Decoder | None:
        return literal_decoder(reader, schema, path)

    @_to.register
    def _(self, reader: UnionType, schema: Any, path: str) -> Decoder | None:
        kind = type_of(schema)
        full_name = schema["name"] if kind in NAMED_TYPES else kind
        name = simple_name(full_name)
        branches = sorted(reader.branches, key=lambda branch: _rank(branch_name(branch), full_name, name))
        has_choice = sum(isinstance(branch, RecordType) for branch in branches) > 1
        for branch in branches:
            if has_choice and not _accepts_name(branch, schema):
                continue
            known = len(self.incompatibilities)
            try:
                return self.decoder(branch, schema, path)
            except TypeMismatchError:
                del self.incompatibilities[known:]
        raise TypeMismatchError(mismatch(schema, expected_type(reader)), path)

    @_to.register
    def _(self, reader: RecordType, schema: Any, path: str) -> Decoder | None:
        if type_of(schema) not in RECORDS:
            raise TypeMismatchError(mismatch(schema, expected_type(reader)), path)
        return self._record(reader, schema, path)

    @_to.register
    def _(self, reader: ArrayType, schema: Any, path: str) -> Decoder | None:
        if type_of(schema) != "array":
            raise TypeMismatchError(mismatch(schema, "array"), path)
        return array_decoder(self.decoder(reader.items, schema["items"], f"{path}[]"), reader.python)

    @_to.register
    def _(self, reader: MapType, schema: Any, path: str) -> Decoder | None:
        if isinstance(reader.values, UntypedType) and type_of(schema) == "record" and simple_name(schema["name"]) != JSON_VALUE:
            return self.decoder(reader.values, schema, path)
        if self._has_entries(schema):
            return self._entries(STRING, reader.values, schema, path)
        if type_of(schema) != "map":
            raise TypeMismatchError(mismatch(schema, "map"), path)
        return map_decoder(self.decoder(reader.values, schema["values"], f"{path}[]"))

    @_to.register
    def _(self, reader: EntriesType, schema: Any, path: str) -> Decoder | None:
        if not self._has_entries(schema):
            raise TypeMismatchError(mismatch(schema, "array of records with the fields key and value"), path)
        return self._entries(reader.keys, reader.values, schema, path)

    @_to.register
    def _(self, reader: EnumType, schema: Any, path: str) -> Decoder | None:
        if type_of(schema) not in ("enum", "string"):
            raise TypeMismatchError(mismatch(schema, f"enum {reader.name}"), path)
        by_symbol = {symbol: member for member, symbol in reader.symbol_of.items()}
        members = {**{member.name: member for member in reader.python}, **by_symbol}
        default = members.get(reader.default or "")
        unknown = [symbol for symbol in schema["symbols"] if symbol not in members] if type_of(schema) == "enum" else []
        if unknown and default is None:
            reason = f"the writer's symbols {', '.join(unknown)} are not members of the reader's enum {reader.name}"
            self.incompatibilities.append(str(TypeMismatchError(reason, path)))

        def decode(symbol: str) -> Any:
            member = members.get(symbol, default)
            if member is None:
                raise TypeMismatchError(f"expected one of {', '.join(reader.symbols)}, found {symbol!r}")
            return member

        return decode

    def _has_entries(self, schema: Any) -> bool:
        """Return whether a schema is an array of records with the fields key and value."""
        items = self._writer.resolve(schema["items"]) if type_of(schema) == "array" else None
        if not isinstance(items, dict) or type_of(items) not in RECORDS:
            return False
        return [entry["name"] for entry in items["fields"]] == ["key", "value"]

    def _entries(self, keys: AvroType, values: AvroType, schema: Any, path: str) -> Decoder:
        key, value = (entry["type"] for entry in self._writer.resolve(schema["items"])["fields"])
        return entries_decoder(self.decoder(keys, key, f"{path}[].key"), self.decoder(values, value, f"{path}[].value"))

    def _record(self, reader: RecordType | UntypedType, schema: Any, path: str) -> Decoder:
        """Return the decoder of a record, which is compiled once, even if the record refers to itself."""
        key = (id(reader), schema["name"])
        if key in self._refused:
            raise self._refused[key].within(path)
        if key in self._records:
            compiled = self._records[key]
            return lambda datum: compiled[0](datum)  # noqa: PLW0108 - it is still empty
        compiled = self._records[key] = []
        try:
            if isinstance(reader, UntypedType):
                decode = self._untyped_record(reader, schema, path)
            else:
                decode = self._dataclass(reader, schema, path)
        except TypeMismatchError as error:
            del self._records[key]
            self._refused[key] = TypeMismatchError(error.reason, error.path.removeprefix(path))
            raise
        compiled.append(decode)
        return decode

    def _untyped_record(self, reader: UntypedType, schema: Any, path: str) -> Callable[[dict[str, Any]], Any]:
        """Return the decoder into a dict of the writer's fields, or into the value inside a record of untyped values."""
        decoders = {
            entry["name"]: self.decoder(reader, entry["type"], f"{path}.{entry['name']}") or unchanged
            for entry in schema["fields"]
        }
        if simple_name(schema["name"]) == JSON_VALUE and list(decoders) == ["value"]:
            decode_value = decoders["value"]
            return lambda datum: decode_value(datum["value"])
        return lambda datum: {name: decode(datum[name]) for name, decode in decoders.items()}

    def _dataclass(self, reader: RecordType, schema: Any, path: str) -> Callable[[dict[str, Any]], Any]:
        has_name = simple_name(schema["name"]) == simple_name(reader.name)
        other = "" if has_name else f"is record {schema['name']} and "
        written = {entry["name"]: entry["type"] for entry in schema["fields"]}
        present: list[RecordField] = []
        decoders = []
        for entry in reader.fields:
            name = next((name for name in entry.read if name in written), None)
            if name is not None:
                decode = self.decoder(entry.type, written[name], f"{path}.{entry.name}")
                if decode is not None:
                    decoders.append((len(present), decode))
                present.append(dataclasses.replace(entry, name=name))
                if name != entry.name:
                    self.respelled.append((name, entry.name))
            elif entry.optional:
                self.defaulted.append(f"{path}.{entry.name}".lstrip("."))
            else:
                raise TypeMismatchError(
                    f"the field has no default and is not in the writer's schema, which {other}has: "
                    + (", ".join(written) or "no fields"),
                    f"{path}.{entry.name}",
                )
        if not present and reader.fields and not has_name:
            raise TypeMismatchError(
                f"{mismatch(schema, expected_type(reader))}, and none of its fields is one of that record", path
            )
        return record_decoder(reader, present, tuple(decoders))


def _accepts_name(reader: AvroType, schema: Any) -> bool:
    """Return whether a record of the writer may be read as a type where its name decides."""
    if type_of(schema) not in RECORDS:
        return True
    name = simple_name(schema["name"])
    branches = reader.branches if isinstance(reader, UnionType) else (reader,)
    records = [branch for branch in branches if isinstance(branch, RecordType)]
    return not records or any(simple_name(record.name) == name for record in records)


def _rank(branch: str, full_name: str, name: str) -> int:
    """Return the order in which a branch of the reader is tried for a writer's type: the same name, without namespace, others."""
    return 0 if branch == full_name else 1 if simple_name(branch) == name else 2
