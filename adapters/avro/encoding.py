"""Encoders of all Avro types, compiled once for each type so that encoding a value does not look at the type again.

An encoder is selected by the class of a value and remembered, so that a record whose fields have the same classes as those of an
earlier one needs a single lookup.
"""

from functools import partial, singledispatchmethod
from typing import Any, TypeAlias, cast

from eddyline.adapters.avro.avro_types import (
    ArrayType,
    AvroType,
    EntriesType,
    EnumType,
    LiteralType,
    LogicalType,
    MapType,
    PrimitiveType,
    RecordType,
    UnionType,
    UntypedType,
    branch_name,
)
from eddyline.adapters.avro.encoders import (
    Encoder,
    EncoderSelector,
    for_instances,
    literal_encoder,
    primitive_encoder,
    symbol_encoder,
)
from eddyline.adapters.avro.errors import AvroSchemaError, TypeMismatchError
from eddyline.adapters.avro.logical_types import logical_encoder
from eddyline.adapters.avro.paths import index_path, key_path
from eddyline.adapters.avro.record_kinds import getter, instance_class
from eddyline.adapters.avro.untyped_values import encode_untyped, map_key
from eddyline.adapters.codecs.errors import described

FieldEncoders: TypeAlias = tuple[tuple[int, Encoder], ...]
"""The encoders for the fields of a record by index; fields without one need no conversion."""


def encoder_of(avro_type: AvroType) -> Encoder:
    """Return the encoder of an Avro type. It raises TypeMismatchError for values of another type."""
    return _by_class(_Compiler().selector(avro_type))


def _by_class(selector: EncoderSelector) -> Encoder:
    encoders: dict[type, Encoder | None] = {}

    def encode(value: Any) -> Any:
        kind = value.__class__
        try:
            encoder = encoders[kind]
        except KeyError:
            encoder = encoders[kind] = _select(selector, value)
        return value if encoder is None else encoder(value)

    return encode


def _select(selector: EncoderSelector, value: Any) -> Encoder | None:
    try:
        return selector(value.__class__)
    except TypeMismatchError as error:
        raise TypeMismatchError(f"{error.reason}, found {described(value)}") from None


class _Compiler:
    """A compiler of encoder selectors for one Avro type, which compiles a record that refers to itself once."""

    def __init__(self) -> None:
        self._records: dict[int, list[Encoder]] = {}

    @singledispatchmethod
    def selector(self, avro_type: AvroType) -> EncoderSelector:
        raise AvroSchemaError(f"there is no encoder for {avro_type}")

    @selector.register
    def _(self, avro_type: UntypedType) -> EncoderSelector:
        encode = partial(encode_untyped, names=avro_type.names)
        return lambda _kind: encode

    @selector.register
    def _(self, avro_type: PrimitiveType) -> EncoderSelector:
        return primitive_encoder(avro_type.python)

    @selector.register
    def _(self, avro_type: LogicalType) -> EncoderSelector:
        return logical_encoder(avro_type)

    @selector.register
    def _(self, avro_type: LiteralType) -> EncoderSelector:
        return literal_encoder(avro_type)

    @selector.register
    def _(self, avro_type: EnumType) -> EncoderSelector:
        return for_instances(avro_type.python, symbol_encoder(avro_type))

    @selector.register
    def _(self, avro_type: ArrayType) -> EncoderSelector:
        encode_item = _by_class(self.selector(avro_type.items))

        def encode(values: Any) -> Any:
            items = iter(values)
            try:
                return [encode_item(item) for item in items]
            except TypeMismatchError as error:
                raise error.within(index_path(values, items)) from None

        if avro_type.python in (set, frozenset):  # which have another order in each process
            return for_instances((set, frozenset), lambda values: sorted(encode(values), key=repr))
        return for_instances(avro_type.python, encode)

    @selector.register
    def _(self, avro_type: MapType) -> EncoderSelector:
        encode_item = _by_class(self.selector(avro_type.values))

        def encode(values: Any) -> Any:
            items = iter(values.items())
            try:
                return {map_key(name): encode_item(item) for name, item in items}
            except TypeMismatchError as error:
                raise error.within(key_path(values, items)) from None

        return for_instances(dict, encode)

    @selector.register
    def _(self, avro_type: EntriesType) -> EncoderSelector:
        encode_key, encode_value = _by_class(self.selector(avro_type.keys)), _by_class(self.selector(avro_type.values))

        def encode(values: Any) -> Any:
            items = iter(values.items())
            try:
                return [{"key": encode_key(key), "value": encode_value(item)} for key, item in items]
            except TypeMismatchError as error:
                raise error.within(key_path(values, items)) from None

        return for_instances(dict, encode)

    @selector.register
    def _(self, avro_type: UnionType) -> EncoderSelector:
        branches = [(branch, self.selector(branch)) for branch in avro_type.branches]

        def select(kind: type) -> Encoder | None:
            if kind is type(None) and any(branch_name(branch) == "null" for branch, _ in branches):
                return None
            for exact in (True, False):
                for branch, selector in branches:
                    if exact and _class_of(branch) is not kind:
                        continue
                    try:
                        return _with_branch(branch_name(branch), selector(kind))
                    except TypeMismatchError:
                        continue
            raise TypeMismatchError(f"expected {' or '.join(branch_name(branch) for branch, _ in branches)}")

        return select

    @selector.register
    def _(self, avro_type: RecordType) -> EncoderSelector:
        compiled = self._records.get(id(avro_type))
        if compiled is None:
            compiled = self._records[id(avro_type)] = []
            compiled.append(_record_encoder(avro_type, [self.selector(entry.type) for entry in avro_type.written]))
        python = instance_class(avro_type.python)
        select = for_instances(python, lambda value: compiled[0](value))  # noqa: PLW0108 - empty inside the record itself
        if python in (dict, tuple):
            return select
        return lambda kind: select(kind if kind is python else object)  # since a subclass would come back as its base


def _record_encoder(record: RecordType, selectors: list[EncoderSelector]) -> Encoder:
    names = tuple(entry.name for entry in record.written)
    attributes = tuple(entry.attribute for entry in record.written)
    get = getter(record.python, attributes)
    by_classes: dict[tuple[type, ...], FieldEncoders] = {}

    def select(values: tuple[Any, ...]) -> FieldEncoders:
        encoders = []
        for index, (selector, value) in enumerate(zip(selectors, values, strict=True)):
            try:
                encoder = _select(selector, value)
            except TypeMismatchError as error:
                raise error.within(f".{attributes[index]}") from None
            if encoder is not None:
                encoders.append((index, encoder))
        return tuple(encoders)

    def encode_fields(encoders: FieldEncoders, values: list[Any]) -> list[Any]:
        index = 0
        try:
            for index, encoder in encoders:
                values[index] = encoder(values[index])
        except TypeMismatchError as error:
            raise error.within(f".{attributes[index]}") from None
        return values

    def encode(value: Any) -> Any:
        values = get(value)
        classes = tuple(map(type, values))
        try:
            encoders = by_classes[classes]
        except KeyError:
            encoders = by_classes[classes] = select(values)
        return dict(zip(names, encode_fields(encoders, list(values)) if encoders else values, strict=True))

    return encode


def _class_of(branch: AvroType) -> type:
    match branch:
        case LiteralType():
            return branch.base.python
        case RecordType():
            return cast("type", instance_class(branch.python))
        case PrimitiveType() | LogicalType() | ArrayType() | EnumType():
            return branch.python
        case _:
            return dict


def _with_branch(name: str, encoder: Encoder | None) -> Encoder:
    """Return an encoder whose results tell fastavro the branch of the union."""
    if encoder is None:
        return lambda value: (name, value)
    return lambda value: (name, encoder(value))
