from dataclasses import dataclass
from datetime import date

import pytest

from eddyline.adapters.codecs.errors import described, expected_found


@dataclass
class Trade:
    price: float


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "str 'a'"),
        (5, "int 5"),
        (None, "None"),
        (Trade(1.5), "Trade(price=1.5)"),
        (date(2024, 1, 2), "datetime.date(2024, 1, 2)"),
        pytest.param(10**5_000, "<int>", id="an int of 5,001 digits"),
        ("x" * 100, f"str '{'x' * 59}…"),
    ],
)
def test_a_value_is_described_by_its_type_and_its_repr(value: object, text: str) -> None:
    assert described(value) == text


def test_an_error_has_the_expected_type_and_the_value() -> None:
    assert expected_found("int", "5") == "expected int, found str '5'"
