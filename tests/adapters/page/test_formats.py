"""Numbers, times and bytes as people read them."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import NamedTuple

import pytest

from eddyline import Window, Windowed
from eddyline.adapters.page.parts import formats
from eddyline.adapters.page.parts.charts import time_span


class Color(Enum):
    RED = "red"


class Pair(NamedTuple):
    first: int
    second: str


@dataclass(frozen=True)
class Part:
    name: str
    color: Color


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (None, formats.MISSING),
        (0, "0 ms"),
        (999, "999 ms"),
        (1_500, "1.5 s"),
        (61_000, "1 min 1 s"),
        (3_600_000, "1 h"),
        (90_061_000, "1 d 1 h"),
        (-5, "-5 ms"),
    ],
)
def test_durations_have_their_two_largest_units(milliseconds: int | None, text: str) -> None:
    assert formats.duration(milliseconds) == text


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (1_500_000, "1.5 MB"), (10**15, "1,000.0 TB")]
)
def test_sizes_have_the_unit_that_fits(size: int, text: str) -> None:
    assert formats.size(size) == text


@pytest.mark.parametrize(
    ("value", "text"), [(None, formats.MISSING), (0, "0/s"), (0.25, "0.2/s"), (12.7, "13/s"), (1_234, "1,234/s")]
)
def test_rates_have_a_decimal_if_they_are_small(value: float | None, text: str) -> None:
    assert formats.rate(value) == text


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "1970-01-01 00:00:00"),
        (1_700_000_000_123, "2023-11-14 22:13:20.123"),
        (1 << 62, f"{1 << 62} ms"),
        (-1, "1969-12-31 23:59:59.999"),
    ],
)
def test_times_are_in_utc(milliseconds: int, text: str) -> None:
    assert formats.time(milliseconds) == text


def test_a_window_has_the_date_once_unless_it_ends_on_another_day() -> None:
    assert formats.window(Window(0, 5_000)) == "1970-01-01 00:00:00 to 00:00:05"
    assert formats.window(Window(0, 86_400_000)) == "1970-01-01 00:00:00 to 1970-01-02 00:00:00"
    assert formats.window(Window(0, (1 << 63) - 1)) == "from 1970-01-01 00:00:00"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("text", "text"),
        (1_234_567, "1,234,567"),
        (True, "yes"),
        (0.1, "0.1"),
        (1234.5678, "1,234.57"),
        (Decimal("1.50"), "1.50"),
        (Color.RED, "red"),
        (date(2024, 2, 29), "2024-02-29"),
        (b"\x00\xff", "00 ff"),
        (Part("ä", Color.RED), "name: ä, color: red"),
        (Pair(1, "a"), "first: 1, second: a"),
        ({1: [Part("x", Color.RED)]}, "1: [{name: x, color: red}]"),
        (
            {"at": 1_700_000_000_000, "sum": 1234.5678, "is": [True]},
            "at: 1700000000000, sum: 1234.57, is: [yes]",
        ),
        ({}, "{}"),
        ([], "[]"),
        (Windowed("IBM", Window(0, 5_000)), "IBM · 1970-01-01 00:00:00 to 00:00:05"),
    ],
)
def test_values_are_shown_on_one_line(value: object, text: str) -> None:
    assert formats.shown(value, "as-declared") == text


def test_a_value_has_columns_by_field_or_one() -> None:
    assert formats.columns_of(Part("a", Color.RED), "as-declared") == {"name": "a", "color": "red"}
    assert formats.columns_of(7, "as-declared") == {"value": 7}
    assert formats.columns_of({}, "as-declared") == {"value": {}}


def test_values_have_columns_if_they_have_the_same_fields_and_few() -> None:
    parts = [Part("a", Color.RED), None, Part("b", Color.RED)]
    assert formats.common_fields(parts, "as-declared") == ["name", "color"]
    assert formats.common_fields([1, 2], "as-declared") == ["value"]
    assert formats.common_fields([{"a": 1}, {"b": 1}], "as-declared") == []
    assert formats.common_fields([dict.fromkeys("abcdefg")], "as-declared") == []
    assert formats.common_fields([None], "as-declared") == []


def test_bytes_are_shown_with_offset_hexadecimal_digits_and_characters() -> None:
    assert formats.hex_dump(b"Hi\x00" + bytes(15)) == (f"000000  48 69{' 00' * 14}  Hi{'·' * 14}\n000010  00 00{' ' * 42}  ··")
    assert formats.hex_dump(bytes(40), most=16).endswith("\n… 24 more bytes")
    assert formats.shortened("abcdef", 4) == "abc…"


DAY_MS = 86_400_000


@pytest.mark.parametrize(
    ("times", "first", "last"),
    [
        ([60_000_000 + 5], 60_000_000 + 5 - 60_000, 60_000_000 + 5 + 60_000),
        ([5_000, 6_000], 6_000 - 60_000, 6_000),
        ([5_000, 500_000], 5_000, 500_000),
        ([DAY_MS], 0, 2 * DAY_MS),
        ([DAY_MS, DAY_MS + 3_600_000], 3_600_000, DAY_MS + 3_600_000),
        ([DAY_MS, 4 * DAY_MS], DAY_MS, 4 * DAY_MS),
    ],
)
def test_an_axis_of_times_has_labels_that_differ(times: list[float], first: float, last: float) -> None:
    assert time_span(times) == {"min": first, "max": last}
