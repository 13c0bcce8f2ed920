"""One codec for each primitive type, compatible with the serializer of the same name in Kafka's Java client."""

import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any
from uuid import UUID

from eddyline.adapters.codecs.errors import expected_found, shortened
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers


class StringCodec(Codec):
    """Strings in UTF-8. Invalid UTF-8 is an error; Java's StringDeserializer would insert replacement characters."""

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        try:
            return str.encode(value)
        except TypeError:
            raise _unexpected("string", "str", value) from None
        except UnicodeEncodeError:
            raise CodecError(f"string: {shortened(value)} has a lone surrogate, which UTF-8 cannot encode") from None

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise CodecError(f"string: not UTF-8 at byte {error.start}") from None

    def decode_all(self, column: Sequence[bytes | None]) -> Sequence[Any]:
        try:
            return list(map(bytes.decode, column))  # type: ignore[arg-type] # None is a TypeError
        except (TypeError, UnicodeDecodeError):
            return super().decode_all(column)


class BytesCodec(Codec):
    """Bytes, unchanged."""

    def encode(self, value: Any) -> bytes | None:
        if value is None or type(value) is bytes:
            return value
        raise _unexpected("bytes", "bytes", value)

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        return data


class NumberCodec(Codec):
    """Numbers of a fixed width, big-endian.

    Args:
        name: Kafka's name of the type, which begins the error messages.
        layout: the format of the number for the `struct` module.
        kind: the Python type, int or float; an int is accepted for a float.
    """

    def __init__(self, name: str, layout: str, kind: type) -> None:
        self._name = name
        self._kind = kind
        self._accepted = (kind, int)
        self._struct = struct.Struct(layout)

    def __reduce__(self) -> tuple[Any, ...]:
        return NumberCodec, (self._name, self._struct.format, self._kind)

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if not isinstance(value, self._accepted) or isinstance(value, bool):
            raise _unexpected(self._name, self._kind.__name__, value)
        try:
            return self._struct.pack(value)
        except (struct.error, OverflowError):
            raise CodecError(f"{self._name}: {shortened(value)} does not fit into {self._struct.size} bytes") from None

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        if len(data) != self._struct.size:
            raise CodecError(f"{self._name}: expected {self._struct.size} bytes, found {len(data)}")
        return self._struct.unpack(data)[0]


class UuidCodec(Codec):
    """UUIDs as a string of 36 characters."""

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if not isinstance(value, UUID):
            raise _unexpected("uuid", "UUID", value)
        return str(value).encode()

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        try:
            return UUID(data.decode())
        except ValueError:
            raise CodecError(
                f"uuid: expected a string such as 123e4567-e89b-12d3-a456-426614174000, found {shortened(data)}"
            ) from None


CODECS: Mapping[str, tuple[type, Codec]] = MappingProxyType(
    {
        "string": (str, StringCodec()),
        "int": (int, NumberCodec("int", ">i", int)),
        "long": (int, NumberCodec("long", ">q", int)),
        "double": (float, NumberCodec("double", ">d", float)),
        "bytes": (bytes, BytesCodec()),
        "uuid": (UUID, UuidCodec()),
    }
)
"""The codecs by name, each with the Python type of its values."""


def _unexpected(name: str, expected: str, value: object) -> CodecError:
    return CodecError(f"{name}: {expected_found(expected, value)}")
