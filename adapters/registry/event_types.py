"""A codec of topics with several event types, each with a schema of its own under a subject of its own."""

import types
import typing
from collections.abc import Mapping
from typing import Any

from eddyline.adapters.codecs.errors import expected_found
from eddyline.adapters.registry.client import SchemaRegistry
from eddyline.adapters.registry.codec import RegistryCodec
from eddyline.adapters.registry.format import FormatFactory
from eddyline.adapters.registry.serialization_context import SerializationContext
from eddyline.application.ports.codec import CodecError, UnsupportedTypeError
from eddyline.application.topology.types import type_name


def event_types(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union, or nothing if a type is none."""
    return typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else ()


class EventTypesCodec(RegistryCodec):
    """A codec of a union of types: it decodes a value of any of them, and encodes it with the schema of its class.

    Args:
        context: the keys or values of a topic.
        registry: the schema registry.
        format_factory: makes the formats.
        hint: the union.

    Raises:
        UnsupportedTypeError: two of the types have the same class, or the format cannot represent one.
    """

    def __init__(self, context: SerializationContext, registry: SchemaRegistry, format_factory: FormatFactory, hint: Any) -> None:
        super().__init__(context, registry, format_factory(context, hint))
        self._arguments = (context, registry, format_factory, hint)
        self._by_class: dict[type, RegistryCodec] = {}
        for each in event_types(hint):
            python = typing.get_origin(each) or each
            if python in self._by_class:
                raise UnsupportedTypeError(
                    f"{context}: two types of '{type_name(hint)}' have the class '{type_name(python)}', which does not tell "
                    "with which schema a value is written; wrap each in a dataclass"
                )
            self._by_class[python] = RegistryCodec(context, registry, format_factory(context, each))

    def __reduce__(self) -> tuple[Any, ...]:
        return EventTypesCodec, self._arguments

    @property
    def parts(self) -> tuple[RegistryCodec, ...]:
        return tuple(self._by_class.values())

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        codec = _codec_of(type(value), self._by_class)
        if codec is None:
            expected = " or ".join(type_name(python) for python in self._by_class)
            raise CodecError(f"cannot encode the {self.context}: {expected_found(expected, value)}")
        return codec.encode(value)


def _codec_of(kind: type, by_class: Mapping[type, RegistryCodec]) -> RegistryCodec | None:
    return next((by_class[python] for python in kind.__mro__ if python in by_class), None)
