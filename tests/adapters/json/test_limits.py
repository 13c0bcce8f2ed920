"""JSON that could neither be stored nor written again is refused when it is decoded."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.limits import MAX_DEPTH, MAX_STATE_DEPTH, check_depth
from eddyline.application.ports.codec import CodecError

CODECS = JsonCodecs()
UNTYPED = pytest.mark.parametrize("declared", [Any, dict, dict[str, Any]])
HUGE = ("1e400", "-1E+400", "1e0400", "9" * 309, "-" + "9" * 400, "9" * 400 + ".0", "0." + "9" * 10 + "e999")
FINE = ("1e308", "-1.7E+308", "1e-400", "0.0e999", "9" * 308, '"1e400"', '"' + "9" * 400 + '"', "1e1", "[1e100, 2]")


def nested(depth: int) -> bytes:
    return b'{"a":' * depth + b'"[[{{"' + b"}" * depth


@UNTYPED
@pytest.mark.parametrize("number", HUGE)
def test_a_number_that_is_greater_than_any_float_is_refused(declared: Any, number: str) -> None:
    with pytest.raises(CodecError, match=r"a number is out of range: JSON numbers are at most 1\.8e308"):
        CODECS.for_value("t", declared).decode(f'{{"a": [1, {number}]}}'.encode())


@UNTYPED
@pytest.mark.parametrize("number", FINE)
def test_other_numbers_and_texts_are_accepted_and_written_again(declared: Any, number: str) -> None:
    codec = CODECS.for_value("t", declared)
    value = codec.decode(f'{{"a": {number}}}'.encode())
    assert codec.decode(codec.encode(value)) == value


@pytest.mark.parametrize("declared", [Any, dict, dict[str, Any], list[Any] | dict[str, Any]])
def test_what_is_nested_too_deeply_is_refused_and_what_is_accepted_can_be_stored(declared: Any) -> None:
    topic = CODECS.for_value("t", declared)
    accepted = topic.decode(nested(MAX_DEPTH))
    for state_type, value in (
        (Any, accepted),
        (dict[str, Any], {"v": accepted}),
        (tuple[dict[str, Any], int], (accepted, 1)),
        (list[tuple[dict[str, Any], int]], [(accepted, 1)]),
    ):
        state = CODECS.for_state(state_type)
        assert state.decode(state.encode(value)) == value
    with pytest.raises(CodecError, match="JSON is nested more than 64 levels deep"):
        topic.decode(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize("state_type", [Any, dict[str, Any], tuple[Any, int]])
def test_state_that_could_not_be_restored_is_not_encoded(state_type: Any) -> None:
    value: Any = 1
    for _ in range(MAX_STATE_DEPTH + 1):
        value = {"a": value}
    with pytest.raises(CodecError, match="nested more than 90 levels deep"):
        CODECS.for_state(state_type).encode((value, 1) if state_type == tuple[Any, int] else value)


@given(st.lists(st.text('[]{}"\\a', max_size=20), max_size=8))
def test_brackets_in_strings_do_not_count(texts: list[str]) -> None:
    data = CODECS.for_value("t", Any).encode(texts) or b""
    check_depth(data, 1)
