"""Schema resolution: from the data of a writer's schema to values of the reader's Python type.

Fields are matched by name. A field that the writer does not have takes the default of the dataclass; one that the reader does
not have is ignored. Primitive types are promoted, and names of records are compared without namespace, as Avro specifies. In
addition, strings are resolved to enums and enums to strings. A pair of writer's schema and reader's type is resolved once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatchmethod
from typing import Any

from eddyline.adapters.avro.avro_types import (
    JSON_VALUE,
    ArrayType,
    AvroType,
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
)
from eddyline.adapters.avro.complex_decoders import array_decoder, map_decoder, record_decoder
from eddyline.adapters.avro.errors import TypeMismatchError
from eddyline.adapters.avro.logical_types import logical_decoder, natural_decoder
from eddyline.adapters.avro.names import simple_name
from eddyline.adapters.avro.promotion import Decoder, literal_decoder, primitive_decoder
from eddyline.adapters.avro.schema_inspection import RECORDS
from eddyline.adapters.avro.union_decoder import UnionDecoder, unchanged
from eddyline.adapters.avro.writer_schema import NAMED_TYPES, WriterSchema, mismatch, type_of


@dataclass(frozen=True)
class Resolution:
    """The decoder of a datum, None if it needs no conversion, and why some of the writer's values cannot be decoded."""

    decode: Decoder | None
    incompatibilities: tuple[str, ...]


def resolve(avro_type: AvroType, writer: WriterSchema) -> Resolution:
    """Resolve a writer's schema to a reader's type.

    Raises:
        TypeMismatchError: no datum of the schema can become a value of the type.
    """
    resolver = _Resolver(writer)
    try:
        decode = resolver.decoder(avro_type, writer.root, "")
    except RecursionError:
        raise TypeMismatchError("the writer's schema is nested too deeply") from None
    return Resolution(decode, tuple(resolver.incompatibilities))


class _Resolver:
    """A resolver of one writer's schema; the argument `path` of its methods is the path of the field for errors."""

    def __init__(self, writer: WriterSchema) -> None:
        self._writer = writer
        self._records: dict[tuple[int, str], list[Decoder]] = {}
        self._refused: dict[tuple[int, str], TypeMismatchError] = {}
        self.incompatibilities: list[str] = []

    def decoder(self, reader: AvroType, schema: Any, path: str) -> Decoder | None:
        """Return the decoder from a part of the writer's schema to a type; None if its data needs no conversion.

        Raises:
            TypeMismatchError: no datum of the schema can become a value of the type.
        """
        schema = self._writer.resolve(schema)
        if isinstance(schema, list):
            return self._from_union(reader, schema, path)
        return self._to(reader, schema, path)

    def _from_union(self, reader: AvroType, branches: list[Any], path: str) -> Decoder | None:
        union = UnionDecoder(path)
        for branch in map(self._writer.resolve, branches):
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
        name = simple_name(schema["name"]) if kind in NAMED_TYPES else kind
        for branch in sorted(reader.branches, key=lambda branch: simple_name(branch_name(branch)) != name):
            known = len(self.incompatibilities)
            try:
                return self.decoder(branch, schema, path)
            except TypeMismatchError:
                del self.incompatibilities[known:]
        raise TypeMismatchError(mismatch(schema, " or ".join(branch_name(branch) for branch in reader.branches)), path)

    @_to.register
    def _(self, reader: RecordType, schema: Any, path: str) -> Decoder | None:
        if type_of(schema) not in RECORDS or simple_name(schema["name"]) != simple_name(reader.name):
            raise TypeMismatchError(mismatch(schema, f"record {reader.name}"), path)
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
        if type_of(schema) != "map":
            raise TypeMismatchError(mismatch(schema, "map"), path)
        return map_decoder(self.decoder(reader.values, schema["values"], f"{path}[]"))

    @_to.register
    def _(self, reader: EnumType, schema: Any, path: str) -> Decoder | None:
        if type_of(schema) not in ("enum", "string"):
            raise TypeMismatchError(mismatch(schema, f"enum {reader.name}"), path)
        members = {member.name: member for member in reader.python}
        default = members.get(reader.default or "")
        unknown = [symbol for symbol in schema["symbols"] if symbol not in members] if type_of(schema) == "enum" else []
        if unknown and default is None:
            reason = f"the writer's symbols {', '.join(unknown)} are not members of the reader's enum {reader.name}"
            self.incompatibilities.append(str(TypeMismatchError(reason, path)))

        def decode(symbol: str) -> Any:
            member = members.get(symbol, default)
            if member is None:
                raise TypeMismatchError(f"expected one of {', '.join(members)}, found {symbol!r}")
            return member

        return decode

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
        written = {entry["name"]: entry["type"] for entry in schema["fields"]}
        present: list[RecordField] = []
        decoders = []
        for entry in reader.fields:
            if entry.name in written:
                decode = self.decoder(entry.type, written[entry.name], f"{path}.{entry.name}")
                if decode is not None:
                    decoders.append((len(present), decode))
                present.append(entry)
            elif not entry.optional:
                raise TypeMismatchError(
                    "the field has no default and is not in the writer's schema, which has: "
                    + (", ".join(written) or "no fields"),
                    f"{path}.{entry.name}",
                )
        return record_decoder(reader, present, tuple(decoders))
