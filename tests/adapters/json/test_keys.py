import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.codec import CodecError
from eddyline.application.topology.types import UNKNOWN
from eddyline.application.topology.windows import Window, Windowed


def test_text_keys_and_values_have_no_quotes_as_kafka_writes_them() -> None:
    assert JsonCodecs().for_key("t", str).encode("ключ") == "ключ".encode()
    assert JsonCodecs().for_value("t", str | None).encode("a b") == b"a b"


def test_other_keys_are_json() -> None:
    assert JsonCodecs().for_key("t", int).encode(5) == b"5"
    assert JsonCodecs().for_key("t", tuple[str, int]).encode(("a", 5)) == b'["a",5]'


def test_a_windowed_key_names_its_parts() -> None:
    codec = JsonCodecs().for_key("t", Windowed[str])
    assert codec.encode(Windowed("AAPL", Window(0, 5000))) == b'{"key":"AAPL","window":{"start":0,"end":5000}}'


def test_a_windowed_key_of_a_type_that_is_not_known_comes_back_as_it_was() -> None:
    codec = JsonCodecs().for_key("t", Windowed[UNKNOWN])  # type: ignore[valid-type]
    key = Windowed("AAPL", Window(0, 5000))
    assert codec.decode(codec.encode(key)) == key


def test_a_plain_key_where_a_windowed_one_belongs_is_refused() -> None:
    with pytest.raises(CodecError, match="should be a Windowed key, not str"):
        JsonCodecs().for_key("t", Windowed[str]).encode("AAPL")


def test_keys_of_a_type_that_is_not_known_are_read_as_texts_and_written_by_what_they_are() -> None:
    codec = JsonCodecs().for_key("t", UNKNOWN)
    assert codec.decode(b'{"a":1}') == '{"a":1}'
    assert [codec.encode(key) for key in ("AAPL", 5, b"\xff", ("a", 1))] == [b"AAPL", b"5", b"\xff", b'["a",1]']


def test_text_in_state_has_quotes_so_that_state_is_json_throughout() -> None:
    assert JsonCodecs().for_state(str).encode("a") == b'"a"'
