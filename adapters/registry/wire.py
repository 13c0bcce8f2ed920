"""Where a record says which schema wrote it: before its bytes, or in a header.

Confluent's form: a zero byte and the schema's id in four bytes (big-endian) before the value. The newer form: the header
`__key_schema_id` or `__value_schema_id` holds a one byte and the 16 bytes of the schema's GUID, and the value stands alone.
"""

from typing import Final, NamedTuple
from uuid import UUID

from eddyline.adapters.registry.subjects import Part
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import Headers

PREFIX_BYTES: Final = 5
_GUID_BYTES: Final = 17
_ID, _GUID = 0, 1


class SchemaPointer(NamedTuple):
    """Which schema: by its id in the registry, or by its GUID."""

    schema: int | str

    def __str__(self) -> str:
        return f"schema {'id' if isinstance(self.schema, int) else 'GUID'} {self.schema}"


def header_name(part: Part) -> str:
    """The header that names the schema."""
    return f"__{part}_schema_id"


def prefix_of(schema_id: int) -> bytes:
    """The bytes that stand before a value of the schema with this id."""
    return b"\x00" + schema_id.to_bytes(4, "big")


def schema_header(name: str, headers: Headers) -> bytes | None:
    """The value of the first header of this name, None where there is none."""
    for header, value in headers:
        if header == name:
            return value
    return None


def pointer_in(data: bytes) -> tuple[SchemaPointer, int]:
    """The schema that the first bytes name, and how many they are. Raises CodecError."""
    if not data:
        raise CodecError("it is empty; there must be a zero byte and a schema id of four bytes first")
    if data[0] == _ID and len(data) >= PREFIX_BYTES:
        return SchemaPointer(int.from_bytes(data[1:PREFIX_BYTES], "big")), PREFIX_BYTES
    if data[0] == _GUID and len(data) >= _GUID_BYTES:
        return SchemaPointer(str(UUID(bytes=data[1:_GUID_BYTES]))), _GUID_BYTES
    if data[0] in (_ID, _GUID):
        raise CodecError(f"it ends within the schema id, after {len(data)} bytes")
    raise CodecError(f"its first byte is {data[0]}, not 0, so it does not begin with a schema id")


def pointer_in_header(name: str, value: bytes) -> tuple[SchemaPointer, int]:
    """The schema that the whole value of the header names, and its length. Raises CodecError."""
    try:
        pointer, length = pointer_in(value)
    except CodecError as error:
        raise CodecError(f"header {name}: {error}") from None
    if length != len(value):
        raise CodecError(f"header {name} has {len(value)} bytes, not {length}")
    return pointer, length
