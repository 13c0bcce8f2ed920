import pytest

from eddyline.adapters.registry.wire import header_name, pointer_in, pointer_in_header, prefix_of, schema_header
from eddyline.application.ports.codec import CodecError

GUID = "89791762-2336-4186-9674-299b90a802e2"
GUID_BYTES = b"\x01" + bytes.fromhex(GUID.replace("-", ""))


def test_an_id_stands_in_four_bytes_after_a_zero() -> None:
    assert prefix_of(0x01020304) == b"\x00\x01\x02\x03\x04"
    pointer, length = pointer_in(prefix_of(258) + b"rest")
    assert (pointer.schema, length, str(pointer)) == (258, 5, "schema id 258")


def test_a_guid_stands_in_sixteen_bytes_after_a_one() -> None:
    pointer, length = pointer_in(GUID_BYTES + b"rest")
    assert (pointer.schema, length, str(pointer)) == (GUID, 17, f"schema GUID {GUID}")


def test_the_header_of_keys_is_another_than_that_of_values() -> None:
    headers = (("__key_schema_id", b"k"), ("__value_schema_id", b"v"), ("__value_schema_id", b"w"))
    assert schema_header(header_name("key"), headers) == b"k"
    assert schema_header(header_name("value"), headers) == b"v"
    assert schema_header(header_name("value"), (("other", b""),)) is None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is empty"),
        (b"\x00\x00\x00", "it ends within the schema id, after 3 bytes"),
        (GUID_BYTES[:9], "it ends within the schema id, after 9 bytes"),
        (b'{"a": 1}', "its first byte is 123, not 0"),
    ],
)
def test_bytes_that_name_no_schema_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        pointer_in(data)


def test_a_header_holds_a_schema_and_nothing_else() -> None:
    assert pointer_in_header("h", GUID_BYTES)[0].schema == GUID
    with pytest.raises(CodecError, match="header h has 18 bytes, not 17"):
        pointer_in_header("h", GUID_BYTES + b"x")
    with pytest.raises(CodecError, match="header h: it is empty"):
        pointer_in_header("h", b"")
