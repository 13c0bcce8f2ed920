"""Decimals have the digits that the JSON has."""

import json
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.codecs.type_choices import TypeChoices
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.codec import CodecError


@dataclass
class Item:
    price: Decimal
    weight: float = 0.0
    note: Any = None
    rebate: Decimal | None = None
    parts: "list[Item]" = field(default_factory=list)


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize(
    "number", ["12345678901234567.89", "9007199254740993.0", "1.10", "0.1234567890123456789", "-1.5e-7", "5"]
)
def test_a_number_has_all_its_digits(number: str, count: int) -> None:
    codec = JsonCodecs().for_value("items", Item)
    data = [f'{{"price":{number},"weight":{number}}}'.encode()] * count
    found = list(codec.decode_all(data))
    assert [str(item.price) for item in found] == [str(Decimal(number))] * count
    assert [item.weight for item in found] == [float(number)] * count
    assert [json.loads(text or "")["price"] for text in codec.encode_all(found)] == [str(Decimal(number))] * count


def test_numbers_that_are_the_same_float_stay_distinct() -> None:
    data = (
        b'{"price":1.10,"weight":1.100,"note":{"a":[1.1000,"1.10 e5"]},"rebate":1.1,'
        b'"parts":[{"price":12345678901234567.89},{"price":12345678901234567.9,"weight":3}]}'
    )
    found = JsonCodecs().for_value("items", Item).decode(data)
    assert repr(found) == repr(
        Item(
            Decimal("1.10"),
            1.1,
            {"a": [1.1, "1.10 e5"]},
            Decimal("1.1"),
            [Item(Decimal("12345678901234567.89")), Item(Decimal("12345678901234567.9"), 3.0)],
        )
    )


@pytest.mark.parametrize("types", ["strict", "lax"])
@given(texts=st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=2).map(str), min_size=2, max_size=6))
def test_decimals_within_one_value_are_exact(texts: list[str], types: str) -> None:
    codec = JsonCodecs(choices=TypeChoices({"types": types})).for_value("items", list[Decimal])
    padded = [text + "0" * (index % 3) for index, text in enumerate(texts)]
    assert [str(number) for number in codec.decode(f"[{','.join(padded)}]".encode())] == padded


def test_what_is_converted_is_the_number_itself() -> None:
    codec = JsonCodecs(choices=TypeChoices({"types": "lax"})).for_value("items", tuple[Decimal, Decimal, int, bool])
    assert codec.decode(b"[1.0,1.00,2.0,1.000]") == (Decimal("1.0"), Decimal("1.00"), 2, True)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"price":1e400}', "Item: price: Input should be a finite number, not inf"),
        (b'{"price":true}', "Item: price: .*, not True"),
        (b'{"price":1.0,"weight":"1.00"}', "Item: weight: Input should be a valid number, not '1.00'"),
        (b'{"price":1.0,"weight":1.00,"parts":[1.10]}', r"Item: parts\[0\]: .*, not 1.1"),
        (b'{"price":1.0', "Item: Invalid JSON"),
    ],
)
def test_what_is_no_number_is_refused_with_the_value_itself(data: bytes, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        JsonCodecs().for_value("items", Item).decode(data)


def test_constants_do_not_change_the_digits_of_other_numbers() -> None:
    found = JsonCodecs().for_value("items", Item).decode(b'{"price":12345678901234567.89,"weight":"NaN"}')
    assert (str(found.price), repr(found.weight)) == ("12345678901234567.89", "nan")
