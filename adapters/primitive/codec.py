"""One codec a primitive type, as the serializer of the same name in Kafka's Java client: big-endian, of fixed width."""

import struct
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from uuid import UUID

from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import Headers


class StringCodec(Codec):
    """Texts as UTF-8. Bytes that are not UTF-8 are refused, where Java would put replacement characters."""

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        try:
            return str.encode(value)
        except TypeError:
            raise _unfit("string", "a str", value) from None
        except UnicodeEncodeError:
            raise CodecError("string: the text holds half of a surrogate pair, which UTF-8 cannot") from None

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise CodecError(f"string: not UTF-8 at byte {error.start}") from None


class BytesCodec(Codec):
    """Bytes as they are."""

    def encode(self, value: Any) -> bytes | None:
        if value is None or type(value) is bytes:
            return value
        raise _unfit("bytes", "bytes", value)

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        return data


class NumberCodec(Codec):
    """Numbers of a fixed width; `name` is what Kafka calls it, `layout` the format of the struct module."""

    def __init__(self, name: str, layout: str, kind: type) -> None:
        self._name = name
        self._kind = kind
        self._struct = struct.Struct(layout)

    def __reduce__(self) -> tuple[Any, ...]:
        return NumberCodec, (self._name, self._struct.format, self._kind)

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if not isinstance(value, self._kind | int) or isinstance(value, bool):
            raise _unfit(self._name, f"{self._kind.__name__}", value)
        try:
            return self._struct.pack(value)
        except (struct.error, OverflowError):
            raise CodecError(f"{self._name}: {value} does not fit into {self._struct.size} bytes") from None

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        if len(data) != self._struct.size:
            raise CodecError(f"{self._name}: should be {self._struct.size} bytes, but there are {len(data)}")
        return self._struct.unpack(data)[0]


class UuidCodec(Codec):
    """UUIDs as their text of 36 characters."""

    def encode(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if not isinstance(value, UUID):
            raise _unfit("uuid", "a UUID", value)
        return str(value).encode()

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        if data is None:
            return None
        try:
            return UUID(data.decode())
        except ValueError:
            raise CodecError(f"uuid: should be a text like 123e4567-e89b-12d3-a456-426614174000, not {data[:40]!r}") from None


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
"""The codecs by name, each with the Python type it holds."""


def _unfit(name: str, wanted: str, value: object) -> CodecError:
    return CodecError(f"{name}: should be {wanted}, not {type(value).__name__} {value!r:.60}")
