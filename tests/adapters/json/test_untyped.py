"""Values of unknown type: topics preserve any JSON, state accepts only values that JSON preserves."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel, Field, RootModel, computed_field

from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.codec import CodecError
from eddyline.application.topology.types import UNKNOWN


@dataclass(frozen=True)
class Trade:
    last_price: float


class Sale(BaseModel):
    shop_id: int
    labels: set[str] = set()
    of_day: str = Field("mon", alias="day")
    secret: int = Field(0, exclude=True)


class Numbers(RootModel[list[int]]):
    pass


class Doubled(BaseModel):
    one: int

    @computed_field(return_type=int)
    def twice(self) -> int:
        return 2 * self.one


@pytest.mark.parametrize("found", [Any, UNKNOWN, object, dict, dict[str, Any], dict | None])
@pytest.mark.parametrize(
    "text",
    [
        '{"severity":"ERROR","n":1.5,"big":9007199254740993,"deep":{"a":[1,null,true,"é"]}}',
        '{"neg":-0.25,"empty":[],"o":{},"snake_case":1,"huge":123456789012345678901234567890}',
    ],
)
def test_json_is_encoded_as_it_was_decoded(found: Any, text: str) -> None:
    codec = JsonCodecs().for_value("logs", found)
    assert codec.encode(codec.decode(text.encode())) == text.encode()


def test_small_numbers_in_javas_notation_keep_their_value() -> None:
    codec = JsonCodecs().for_value("logs", Any)
    assert codec.decode(b'{"e":1.0E-7}') == {"e": 1e-07}
    assert codec.decode(codec.encode({"e": 1e-07})) == {"e": 1e-07}


def test_models_and_sets_inside_untyped_values_are_encoded_like_typed_ones() -> None:
    codecs = JsonCodecs(choices=TypeChoices({"names": "camelCase"}))
    values = [Sale(shop_id=1, labels={"b", "a"}), Sale(shop_id=2)]
    assert codecs.for_value("t", Any).encode(values) == codecs.for_value("t", list[Sale]).encode(values)
    assert codecs.for_value("t", Any).encode(set("hgfedcba")) == b'["a","b","c","d","e","f","g","h"]'
    assert codecs.for_value("t", Any).encode([Numbers([1]), Doubled(one=1)]) == b'[[1],{"one":1,"twice":2}]'


def test_dataclasses_and_dates_inside_untyped_values_are_encoded_like_typed_ones() -> None:
    payload = {"trades": [Trade(1.5)], "at": datetime(2024, 1, 2, tzinfo=UTC)}
    codecs = JsonCodecs(choices=TypeChoices({"names.logs": "camelCase"}))
    assert codecs.for_value("logs", Any).encode(payload) == b'{"trades":[{"lastPrice":1.5}],"at":"2024-01-02T00:00:00Z"}'
    assert codecs.for_value("logs", tuple[Any, int]).encode((Trade(1.5), 3)) == b'[{"lastPrice":1.5},3]'
    assert codecs.for_value("other", tuple[Any, int]).encode((Trade(1.5), 3)) == b'[{"last_price":1.5},3]'


def test_not_a_number_is_an_error_in_untyped_values() -> None:
    codec = JsonCodecs().for_value("logs", Any)
    with pytest.raises(CodecError, match="Out of range float"):
        codec.encode({"a": float("nan")})
    with pytest.raises(CodecError, match="Invalid JSON"):
        codec.decode(b'{"a":NaN}')


def test_json_of_another_kind_than_the_declared_collection_is_an_error() -> None:
    with pytest.raises(CodecError, match=r"expected dict, found list \[\]"):
        JsonCodecs().for_value("logs", dict).decode(b"[]")


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (Trade(1.5), "a value of type 'Trade'"),
        ((1, 2), "a value of type 'tuple'"),
        ({1: "a"}, "a dict with keys other than strings"),
    ],
)
def test_state_refuses_values_of_unknown_type_that_json_does_not_preserve(value: object, what: str) -> None:
    message = f"JSON does not preserve the type of {what} in state; annotate the function that returns it"
    with pytest.raises(CodecError, match=message):
        JsonCodecs().for_state(UNKNOWN).encode(value)
    with pytest.raises(CodecError, match=message):
        JsonCodecs().for_state(tuple[UNKNOWN, int]).encode((value, 5))  # type: ignore[valid-type]
    with pytest.raises(CodecError, match=message):
        JsonCodecs().for_state(tuple[dict[str, Any], int]).encode(({"a": [value]}, 5))


def test_state_preserves_not_a_number() -> None:
    codec = JsonCodecs().for_state(tuple[UNKNOWN, float])  # type: ignore[valid-type]
    assert repr(codec.decode(codec.encode(([float("nan")], float("-inf"))))) == "([nan], -inf)"


@pytest.mark.parametrize("declared", [Any, dict, dict[str, Any]])
def test_a_value_that_json_cannot_represent_is_named_with_the_types_that_it_can(declared: Any) -> None:
    with pytest.raises(CodecError, match="JSON cannot represent type 'object'; use dataclasses, dicts, lists"):
        JsonCodecs().for_value("logs", declared).encode({"a": [object()]})
