"""The wire formats of the schema id of a record.

- Prefix: a zero byte and the schema's id in the registry (4 bytes, big-endian), then the value.
- Header: `__key_schema_id` or `__value_schema_id` holds a byte of value 1 and the schema's GUID (16 bytes), or the same 5 bytes
  as the prefix; the value has no prefix.

With a schema of type PROTOBUF, the indexes of the message in the schema follow the id, in the prefix and in the header.
"""

from typing import Final, NamedTuple
from uuid import UUID

from eddyline.adapters.registry.serialization_context import MessageField
from eddyline.application.ports.codec import CodecError
from eddyline.application.ports.event_log import Headers

PREFIX_BYTES: Final = 5
_GUID_BYTES: Final = 17
_MAGIC_ID, _MAGIC_GUID = 0, 1


class SchemaId(NamedTuple):
    """The id (int) or the GUID (str) of a schema."""

    value: int | str

    def __str__(self) -> str:
        return f"schema {'id' if isinstance(self.value, int) else 'GUID'} {self.value}"


def schema_id_header(field: MessageField) -> str:
    """Return the name of the header that holds the schema id of the key or value."""
    return f"__{field}_schema_id"


def schema_id_prefix(schema_id: int) -> bytes:
    """Return the bytes that precede a value."""
    return b"\x00" + schema_id.to_bytes(4, "big")


def find_header(name: str, headers: Headers) -> bytes | None:
    """Return the value of the first header with a name, or None if there is none."""
    for header, value in headers:
        if header == name:
            return value
    return None


def parse_schema_id(data: bytes) -> tuple[SchemaId, int]:
    """Return the schema id at the beginning of the data, and its length in bytes, including the magic byte.

    Raises:
        CodecError: the data does not begin with a schema id.
    """
    if not data:
        raise CodecError("the data is empty; expected a zero byte and a schema id of 4 bytes")
    if data[0] == _MAGIC_ID and len(data) >= PREFIX_BYTES:
        return SchemaId(int.from_bytes(data[1:PREFIX_BYTES], "big")), PREFIX_BYTES
    if data[0] == _MAGIC_GUID and len(data) >= _GUID_BYTES:
        return SchemaId(str(UUID(bytes=data[1:_GUID_BYTES]))), _GUID_BYTES
    if data[0] in (_MAGIC_ID, _MAGIC_GUID):
        raise CodecError(f"the data ends within the schema id, after {len(data)} bytes")
    raise CodecError(f"the data does not begin with a schema id: its first byte is {data[0]}, not 0")


def parse_schema_id_header(name: str, value: bytes, *, with_indexes: bool = False) -> tuple[SchemaId, bytes]:
    """Return the schema id in the value of a header, and the bytes of the message indexes that follow it.

    Raises:
        CodecError: the value is not a schema id, or has message indexes or none when it should not.
    """
    try:
        schema_id, length = parse_schema_id(value)
    except CodecError as error:
        raise CodecError(f"header '{name}': {error}") from None
    if with_indexes == (length == len(value)):
        expected = f"{length} bytes and the message indexes" if with_indexes else f"{length} bytes"
        raise CodecError(f"header '{name}': expected {expected}, found {len(value)}")
    return schema_id, value[length:]
