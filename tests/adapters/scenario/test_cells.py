"""Text as values of a type, and values as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Literal, NamedTuple

import pytest

from eddyline.adapters.scenario.cells import as_text, assemble, matches, parse
from eddyline.adapters.scenario.errors import TextTableError


@dataclass(frozen=True)
class Address:
    city: str
    zipcode: str | None = None


@dataclass(frozen=True)
class Customer:
    name: str
    address: Address | None
    visits: int = 1


class Place(NamedTuple):
    city: str


class Opaque:
    pass


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (str, "5 s", "5 s"),
        (int, "5", 5),
        (int, "5 s", 5_000),
        (float, "1.50", 1.5),
        (float, "10 min", 600_000.0),
        (int | None, "1 h", 3_600_000),
        (Decimal, "1.50", Decimal("1.50")),
        (bool, "true", True),
        (date, "2024-03-31", date(2024, 3, 31)),
        (Literal["SALE", "RESTOCK"], "SALE", "SALE"),
        (list[str], "surfing, hats", ["surfing", "hats"]),
        (tuple[int, ...], "1 s, 2 s", (1_000, 2_000)),
        (Sequence[float], "1, 2.5", [1.0, 2.5]),
        (Any, "5", 5),
        (Any, '"5"', "5"),
        (object, "true", True),
        (object, "click", "click"),
        (object, "NaN", "NaN"),
        (dict, '{"tea": 3}', {"tea": 3}),
        (Address, '{"city": "Oslo"}', Address("Oslo")),
        (list[str], '["surfing, hats"]', ["surfing, hats"]),
    ],
)
def test_text_is_read_by_type(kind: Any, text: str, expected: object) -> None:
    found = parse(kind, text)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        (Address, '{"town": "Oslo"}', "Address: city: Field required"),
        (int, "dear", "int: Input should be a valid integer, unable to parse string as an integer, not 'dear'"),
        (bool, "perhaps", "bool: Input should be a valid boolean, unable to interpret input, not 'perhaps'"),
        (Literal["SALE"], "GIFT", "typing.Literal|Literal.*Input should be 'SALE', not 'GIFT'"),
    ],
)
def test_text_of_another_type_is_refused(kind: Any, text: str, reason: str) -> None:
    with pytest.raises(TextTableError, match=reason):
        parse(kind, text)


def test_a_cell_that_is_no_text_is_checked_only() -> None:
    assert parse(int, 5) == 5
    assert parse(object, 5.0) == 5.0
    with pytest.raises(
        TextTableError, match=r"int: Input should be a valid integer, got a number with a fractional part, not 5.5"
    ):
        parse(int, 5.5)


def test_a_type_that_text_cannot_give_takes_values_alone() -> None:
    opaque = Opaque()
    assert parse(Opaque, opaque) is opaque
    with pytest.raises(TextTableError, match="Opaque cannot be read from text; put the value itself into the cell"):
        parse(Opaque, "x")


def test_cells_make_up_objects_of_objects() -> None:
    cells = [(["name"], "Ann"), (["address", "city"], "Oslo"), (["address", "zipcode"], "")]
    assert assemble(Customer, cells) == Customer("Ann", Address("Oslo", None))


def test_an_object_of_empty_cells_is_none() -> None:
    assert assemble(Customer, [(["name"], "Ann"), (["address", "city"], "")]) == Customer("Ann", None)
    assert assemble(Customer, [(["name"], ""), (["visits"], None)]) is None


def test_a_field_whose_cell_is_empty_has_its_default() -> None:
    assert assemble(Customer, [(["name"], "Ann"), (["address"], ""), (["visits"], "")]) == Customer("Ann", None, 1)


@pytest.mark.parametrize(("kind", "expected"), [(Place, Place("Oslo")), (dict, {"city": "Oslo"}), (object, {"city": "Oslo"})])
def test_every_kind_of_record_takes_fields(kind: Any, expected: object) -> None:
    assert assemble(kind, [(["city"], "Oslo")]) == expected


def test_values_of_a_dict_have_its_type() -> None:
    assert assemble(dict[str, int], [(["tea"], "3"), (["rice"], "")]) == {"tea": 3}


def test_a_union_takes_the_fields_of_its_members() -> None:
    assert assemble(Address | Customer, [(["city"], "Oslo")]) == Address("Oslo")


def test_an_unknown_field_is_refused_with_the_fields_that_there_are() -> None:
    with pytest.raises(TextTableError, match="Address has no field 'town'; it has: city, zipcode"):
        assemble(Address, [(["town"], "Oslo")])


def test_a_field_of_a_number_is_refused_with_the_fix() -> None:
    with pytest.raises(
        TextTableError, match=r"int has no fields, so none is called 'count'; map the header: columns=\{'count': 'value'\}"
    ):
        assemble(int, [(["count"], "1")])


def test_a_missing_field_is_named() -> None:
    with pytest.raises(TextTableError, match="Address: city: Field required"):
        assemble(Address, [(["zipcode"], "0150")])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "true"),
        (5, "5"),
        (100.0, "100"),
        (1.5, "1.5"),
        (["a", 1.0], "a, 1"),
        (date(2024, 3, 31), "2024-03-31"),
        ({"tea": 3}, '{"tea": 3}'),
        (Address("Oslo"), '{"city": "Oslo", "zipcode": null}'),
    ],
)
def test_values_are_written_as_text_that_means_them(value: object, text: str) -> None:
    assert as_text(value) == text
    assert matches(text, value)


def test_times_are_written_as_durations_since_the_epoch_or_in_utc() -> None:
    assert as_text(12_000, time=True) == "12 s"
    assert as_text(1_711_839_600_000, time=True) == "2024-03-30T23:00:00Z"


@pytest.mark.parametrize(
    ("text", "value", "is_meant"),
    [
        ("2 s", 2_000, True),
        ("2.0 s", 2_000, True),
        ("1.50", 1.5, True),
        ("0.10", Decimal("0.1"), True),
        ("True", True, True),
        ("1", True, False),
        ("", None, True),
        ("", "", True),
        ("1, 2", (1.0, 2.0), True),
        ("", [], True),
        ("1", [1, 2], False),
        ("many", 5, False),
    ],
)
def test_a_value_may_be_written_in_several_ways(text: str, value: object, is_meant: bool) -> None:
    assert matches(text, value) == is_meant
