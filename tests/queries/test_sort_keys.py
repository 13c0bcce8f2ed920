"""Sort keys sort as the keys of stores do."""

import dataclasses
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.application.ports.key_order import key_order
from eddyline.application.queries.sort_keys import after_prefix, sort_key, sort_prefix


@dataclasses.dataclass(frozen=True)
class Shelf:
    shop: str
    number: int
    note: str | None = None


class Size(Enum):
    SMALL = "a"
    LARGE = "b"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


TEXTS = st.text(alphabet=st.characters() | st.sampled_from("\x00\x01\xff\ud800\U0010ffff"), max_size=4)
NUMBERS = st.integers() | st.integers(-(1 << 5_000), 1 << 5_000) | st.booleans() | st.floats(allow_nan=False)
KINDS: list[st.SearchStrategy[Any]] = [
    TEXTS,
    st.binary(max_size=4) | st.sampled_from([b"\x00", b"\x00\x00", b"\x00\xff", b"\xff"]),
    NUMBERS,
    st.integers(-3, 3) | st.integers(-(1 << 20_000), 1 << 20_000),
    st.decimals(allow_nan=False),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.just(UTC)),
    st.times(),
    st.timedeltas(),
    st.uuids(),
    st.tuples(TEXTS, NUMBERS),
    st.lists(st.integers(-2, 2), max_size=3).map(tuple),
    st.lists(TEXTS, max_size=3).map(tuple),
    st.tuples(st.tuples(TEXTS), NUMBERS),
    st.builds(Shelf, TEXTS, st.integers(), st.none()),
    st.sampled_from(Level),
]
PAIRS = st.sampled_from(KINDS).flatmap(lambda kind: st.tuples(kind, kind))


@given(PAIRS)
def test_sort_keys_have_the_order_of_the_keys(pair: tuple[Any, Any]) -> None:
    first, second = pair
    assert (sort_key(first) < sort_key(second)) is (key_order(first) < key_order(second))
    assert (sort_key(first) == sort_key(second)) is (first == second)


@given(st.sampled_from(KINDS).flatmap(lambda kind: kind))
def test_none_is_less_than_any_key(key: Any) -> None:
    assert sort_key(None) < sort_key(key)


@given(PAIRS)
def test_a_sort_key_is_no_prefix_of_another(pair: tuple[Any, Any]) -> None:
    first, second = map(sort_key, pair)
    assert first == second or not first.startswith(second)


@given(TEXTS, TEXTS)
def test_a_text_begins_with_a_prefix_if_its_sort_key_does(prefix: str, text: str) -> None:
    assert sort_key(prefix + text).startswith(sort_prefix(prefix))
    assert sort_key(text).startswith(sort_prefix(prefix)) is text.startswith(prefix)


@given(st.lists(TEXTS, max_size=2).map(tuple), st.lists(TEXTS, max_size=2).map(tuple))
def test_a_tuple_begins_with_a_prefix_if_its_sort_key_does(prefix: tuple[str, ...], key: tuple[str, ...]) -> None:
    assert sort_key(prefix + key).startswith(sort_prefix(prefix))
    assert sort_key(key).startswith(sort_prefix(prefix)) is (key[: len(prefix)] == prefix)


@given(st.binary(max_size=3), st.binary(max_size=5))
def test_what_comes_after_a_prefix_is_greater_than_all_that_begins_with_it(prefix: bytes, other: bytes) -> None:
    after = after_prefix(prefix)
    assert (after is None or other < after) is (other < prefix or other.startswith(prefix) or after is None)


def test_a_prefix_of_the_greatest_bytes_has_no_end() -> None:
    assert after_prefix(b"\xff\xff") is None
    assert after_prefix(b"a\xff") == b"b"


def test_a_dataclass_sorts_like_the_tuple_of_its_fields() -> None:
    assert sort_key(Shelf("Zug", 3)) == sort_key(("Zug", 3, None))


def test_enums_sort_by_their_values() -> None:
    assert sort_key(Size.SMALL) == sort_key("a")
    assert sort_key(Level.HIGH) == sort_key(2)


def test_equal_numbers_and_times_have_equal_sort_keys() -> None:
    assert sort_key(1) == sort_key(1.0) == sort_key(True)
    assert sort_key(0.0) == sort_key(-0.0)
    assert sort_key(Decimal("1.50")) == sort_key(Decimal("1.5"))
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert sort_key(noon) == sort_key((noon + timedelta(hours=1)).astimezone(UTC) - timedelta(hours=1))


def test_infinite_numbers_are_at_the_ends_and_what_is_not_a_number_is_last() -> None:
    numbers = [float("-inf"), -(1 << 20_000), 0, 1 << 20_000, float("inf"), float("nan")]
    assert sorted(map(sort_key, numbers)) == list(map(sort_key, numbers))


def test_keys_of_other_types_sort_by_their_encoded_bytes() -> None:
    assert sort_key(frozenset({1}), b"[1]") < sort_key(frozenset({2}), b"[2]")
    with pytest.raises(TypeError, match="keys of type 'frozenset' have no order; choose one of: NoneType, bool, int"):
        sort_key(frozenset({1}))
