from uuid import UUID

import pytest

from eddyline.adapters.primitive.codec import CODECS
from eddyline.application.ports.codec import CodecError


@pytest.mark.parametrize(
    ("name", "value", "data"),
    [
        ("string", "é", b"\xc3\xa9"),
        ("int", 1, b"\x00\x00\x00\x01"),
        ("int", -2, b"\xff\xff\xff\xfe"),
        ("long", 258, b"\x00\x00\x00\x00\x00\x00\x01\x02"),
        ("long", -1, b"\xff" * 8),
        ("double", 1.0, b"\x3f\xf0\x00\x00\x00\x00\x00\x00"),
        ("double", -2.5, b"\xc0\x04\x00\x00\x00\x00\x00\x00"),
        ("bytes", b"\x00\xff", b"\x00\xff"),
        ("uuid", UUID(int=1), b"00000000-0000-0000-0000-000000000001"),
    ],
)
def test_the_bytes_are_the_same_as_those_of_kafkas_serializers(name: str, value: object, data: bytes) -> None:
    _, codec = CODECS[name]
    assert codec.encode(value) == data
    assert codec.decode(data) == value


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("string", 5, "string: expected str, found int 5"),
        ("string", "\ud800", r"string: '\\ud800' has a lone surrogate, which UTF-8 cannot encode"),
        ("int", 2**31, "int: 2147483648 does not fit into 4 bytes"),
        pytest.param("long", 10**5_000, "long: <int> does not fit into 8 bytes", id="an int of 5,001 digits"),
        ("long", 1.5, r"long: expected int, found float 1\.5"),
        ("long", True, "long: expected int, found bool True"),
        ("double", "1", "double: expected float, found str '1'"),
        ("double", 10**400, "double: 1000.* does not fit into 8 bytes"),
        ("bytes", "a", "bytes: expected bytes, found str 'a'"),
        ("uuid", "a", "uuid: expected UUID, found str 'a'"),
    ],
)
def test_a_value_of_another_type_is_an_error(name: str, value: object, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        CODECS[name][1].encode(value)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("string", b"a\xff", "string: not UTF-8 at byte 1"),
        ("int", b"", "int: expected 4 bytes, found 0"),
        ("long", b"123456789", "long: expected 8 bytes, found 9"),
        ("uuid", b"AAPL", "uuid: expected a string such as .*, found b'AAPL'"),
    ],
)
def test_invalid_bytes_are_an_error(name: str, data: bytes, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        CODECS[name][1].decode(data)


def test_an_int_is_encoded_as_a_double() -> None:
    assert CODECS["double"][1].encode(1) == b"\x3f\xf0\x00\x00\x00\x00\x00\x00"
