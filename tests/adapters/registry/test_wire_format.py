import pytest

from eddyline.adapters.registry.wire_format import (
    SchemaId,
    find_header,
    parse_schema_id,
    parse_schema_id_header,
    schema_id_header,
    schema_id_prefix,
)
from eddyline.application.ports.codec import CodecError

GUID = "89791762-2336-4186-9674-299b90a802e2"
GUID_BYTES = b"\x01" + bytes.fromhex(GUID.replace("-", ""))


def test_an_id_is_four_bytes_after_a_zero_byte() -> None:
    assert schema_id_prefix(0x01020304) == b"\x00\x01\x02\x03\x04"
    schema_id, length = parse_schema_id(schema_id_prefix(258) + b"rest")
    assert (schema_id.value, length, str(schema_id)) == (258, 5, "schema id 258")


def test_a_guid_is_sixteen_bytes_after_a_byte_of_value_one() -> None:
    schema_id, length = parse_schema_id(GUID_BYTES + b"rest")
    assert (schema_id.value, length, str(schema_id)) == (GUID, 17, f"schema GUID {GUID}")


def test_keys_and_values_have_their_own_headers() -> None:
    headers = (("__key_schema_id", b"k"), ("__value_schema_id", b"v"), ("__value_schema_id", b"w"))
    assert find_header(schema_id_header("key"), headers) == b"k"
    assert find_header(schema_id_header("value"), headers) == b"v"
    assert find_header(schema_id_header("value"), (("other", b""),)) is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the data is empty"),
        (b"\x00\x00\x00", "the data ends within the schema id, after 3 bytes"),
        (GUID_BYTES[:9], "the data ends within the schema id, after 9 bytes"),
        (b'{"a": 1}', "its first byte is 123, not 0"),
    ],
)
def test_data_without_a_schema_id_is_an_error(data: bytes, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        parse_schema_id(data)


def test_a_header_holds_nothing_but_a_schema_id() -> None:
    assert parse_schema_id_header("h", GUID_BYTES) == (SchemaId(GUID), b"")
    with pytest.raises(CodecError, match="header 'h': expected 17 bytes, found 18"):
        parse_schema_id_header("h", GUID_BYTES + b"x")
    with pytest.raises(CodecError, match="header 'h': the data is empty"):
        parse_schema_id_header("h", b"")
