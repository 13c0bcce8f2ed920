"""Values whose type is not known: in topics they pass unchanged, in state only what comes back as it was is taken."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.codec import CodecError
from eddyline.application.topology.types import UNKNOWN


@dataclass(frozen=True)
class Trade:
    last_price: float


@pytest.mark.parametrize("found", [Any, UNKNOWN, object, dict, dict[str, Any], dict | None])
@pytest.mark.parametrize(
    "text",
    [
        '{"severity":"ERROR","n":1.5,"big":9007199254740993,"deep":{"a":[1,null,true,"é"]}}',
        '{"neg":-0.25,"empty":[],"o":{},"snake_case":1,"huge":123456789012345678901234567890}',
    ],
)
def test_a_payload_passes_through_a_topic_as_it_was(found: Any, text: str) -> None:
    codec = JsonCodecs().for_value("logs", found)
    assert codec.encode(codec.decode(text.encode())) == text.encode()


def test_small_numbers_in_the_notation_of_java_keep_their_value() -> None:
    codec = JsonCodecs().for_value("logs", Any)
    assert codec.decode(b'{"e":1.0E-7}') == {"e": 1e-07}
    assert codec.decode(codec.encode({"e": 1e-07})) == {"e": 1e-07}


def test_dataclasses_and_dates_anywhere_in_a_payload_are_written_as_elsewhere() -> None:
    payload = {"trades": [Trade(1.5)], "at": datetime(2024, 1, 2, tzinfo=UTC)}
    assert JsonCodecs().for_value("logs", Any).encode(payload) == b'{"trades":[{"lastPrice":1.5}],"at":"2024-01-02T00:00:00Z"}'
    assert JsonCodecs().for_value("logs", tuple[Any, int]).encode((Trade(1.5), 3)) == b'[{"lastPrice":1.5},3]'


def test_not_a_number_is_refused_since_json_has_none() -> None:
    codec = JsonCodecs().for_value("logs", Any)
    with pytest.raises(CodecError, match="Out of range float"):
        codec.encode({"a": float("nan")})
    with pytest.raises(CodecError, match="Invalid JSON"):
        codec.decode(b'{"a":NaN}')


def test_another_kind_of_json_than_the_type_says_is_refused() -> None:
    with pytest.raises(CodecError, match="should be a dict, not list"):
        JsonCodecs().for_value("logs", dict).decode(b"[]")


@pytest.mark.parametrize(
    ("value", "what"),
    [(Trade(1.5), "a value of type Trade"), ((1, 2), "a value of type tuple"), ({1: "a"}, "a dict with other keys than texts")],
)
def test_state_refuses_what_would_come_back_as_something_else(value: object, what: str) -> None:
    message = f"{what} would not come back from state as it is, since its type is not known; annotate what makes it"
    with pytest.raises(CodecError, match=message):
        JsonCodecs().for_state(UNKNOWN).encode(value)
    with pytest.raises(CodecError, match=message):
        JsonCodecs().for_state(tuple[UNKNOWN, int]).encode((value, 5))  # type: ignore[valid-type]
    with pytest.raises(CodecError, match=message):
        JsonCodecs().for_state(tuple[dict[str, Any], int]).encode(({"a": [value]}, 5))


def test_state_keeps_not_a_number() -> None:
    codec = JsonCodecs().for_state(tuple[UNKNOWN, float])  # type: ignore[valid-type]
    assert repr(codec.decode(codec.encode(([float("nan")], float("-inf"))))) == "([nan], -inf)"
