"""What is encoded as state comes back as it was, or is refused."""

import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from threading import Lock
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.json.errors import JsonTypeError
from eddyline.adapters.json.state import StateJsonCodec
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.topology.forms import form_of, same
from tests.topology.kept_types import (
    KEPT,
    REFUSED,
    Base,
    Cart,
    Colour,
    Late,
    Paid,
    Placed,
    Point,
    Scaled,
    Shape,
    Square,
    Sub,
    Tree,
)


def of_state(declared: Any) -> Codec:
    return JsonCodecs().for_state(declared)


@pytest.mark.parametrize(("declared", "value"), KEPT)
def test_a_value_comes_back_as_it_was_alone_and_among_others(declared: Any, value: Any) -> None:
    codec = StateJsonCodec(declared)
    data = codec.encode(value)
    assert same(codec.decode(data), value)
    for column in ([value] * 5, [value, None, value], [value] * 200):
        encoded = codec.encode_all(column)
        assert list(encoded) == [None if one is None else data for one in column]
        assert all(map(same, codec.decode_all(encoded), column))


@pytest.mark.parametrize(("declared", "value", "reason"), REFUSED)
def test_a_value_that_would_not_come_back_is_refused(declared: Any, value: Any, reason: str) -> None:
    with pytest.raises(CodecError, match=reason):
        of_state(declared).encode(value)
    with pytest.raises(CodecError, match=reason):
        of_state(list[declared]).encode([value])
    with pytest.raises(CodecError, match=reason):
        of_state(declared).encode_all([value] * 10)


class Plain:
    def __init__(self, lock: Lock) -> None:
        self.lock = lock


@dataclass
class Priced:
    price: float

    def __post_init__(self) -> None:
        if not self.price > 0:
            msg = f"price is {self.price}"
            raise ValueError(msg)


def _raised(priced: "Raised") -> None:
    priced.price *= 2


@dataclass
class Raised:
    price: float

    def __post_init__(self) -> None:
        _raised(self)


@dataclass
class Rounded:
    price: float

    def __post_init__(self) -> None:
        self.round()

    def round(self) -> None:
        self.price = math.floor(self.price * 3)


@dataclass
class Closed:
    price: float

    def __post_init__(self) -> None:
        def double() -> None:
            self.price *= 2

        double()


@pytest.mark.parametrize(("declared", "is_plain"), [(Priced, True), (Raised, False), (Rounded, False), (Closed, False)])
def test_code_after_creation_is_run_only_where_it_cannot_change_fields(declared: Any, is_plain: bool) -> None:
    values = [declared(number / 4) for number in range(1, 300)]
    codec = StateJsonCodec(declared)
    encoded = [codec.encode(value) for value in values]
    assert all(map(same, map(codec.decode, encoded), values))
    assert all(map(same, codec.decode_all(codec.encode_all(values)), values))
    assert form_of(declared).plain is is_plain


@dataclass
class Keeper:
    plain: Plain | None = None
    resolve: Callable[[], int] | None = None


@pytest.mark.parametrize("declared", [Plain, list[Plain], Callable[[], int], Keeper, Placed | Plain, type[Placed], Enum])
def test_a_type_that_cannot_come_back_is_refused(declared: Any) -> None:
    with pytest.raises(
        JsonTypeError,
        match=r"state cannot represent type '.*: the fields of class '.*' are not declared; use a dataclass of text, numbers",
    ):
        of_state(declared)


SCALARS: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(st.characters(exclude_categories=["Cs"])),
    int: st.integers() | st.booleans(),
    float: st.floats() | st.integers(),
    bool: st.booleans(),
    bytes: st.binary(),
    Decimal: st.decimals(allow_nan=False),
    Fraction: st.fractions(),
    UUID: st.uuids(),
    date: st.dates(),
    time: st.times(),
    timedelta: st.timedeltas(),
    datetime: st.datetimes(
        allow_imaginary=False, timezones=st.sampled_from([None, UTC, timezone(timedelta(hours=-3)), ZoneInfo("Europe/Berlin")])
    ),
    Colour: st.sampled_from(Colour),
    Placed: st.builds(Placed, st.text(st.characters(exclude_categories=["Cs"]))),
    Paid: st.builds(Paid, st.text(st.characters(exclude_categories=["Cs"]))),
    Point: st.builds(Point, st.integers(), st.floats(allow_nan=False)),
    Base: st.builds(Base, st.text(st.characters(exclude_categories=["Cs"]))) | st.builds(Sub),
}


@st.composite
def typed_values(draw: st.DrawFn, depth: int = 2) -> tuple[Any, st.SearchStrategy[Any]]:
    """Draw a type and the values of it."""
    kind = draw(st.sampled_from(["scalar", "union", "list", "tuple", "dict", "optional", "set"] if depth else ["scalar"]))
    if kind in ("scalar", "set"):
        declared = draw(st.sampled_from(list(SCALARS)))
        return (
            (declared, SCALARS[declared])
            if kind == "scalar"
            else (frozenset.__class_getitem__(declared), st.frozensets(SCALARS[declared]))
        )
    inner, values = draw(typed_values(depth - 1))
    if kind == "list":
        return list.__class_getitem__(inner), st.lists(values, max_size=4)
    if kind == "tuple":
        return tuple.__class_getitem__((inner, int)), st.tuples(values, st.integers())
    if kind == "dict":
        key = draw(st.sampled_from(list(SCALARS)))
        return dict.__class_getitem__((key, inner)), st.dictionaries(SCALARS[key], values, max_size=4)
    if kind == "optional":
        return inner | None, st.none() | values
    other, others = draw(typed_values(depth - 1))
    return inner | other, values | others


@given(st.data())
def test_values_of_any_type_come_back_as_they_were_or_are_refused(data: st.DataObject) -> None:
    declared, values = data.draw(typed_values())
    codec, column = of_state(declared), data.draw(st.lists(values, min_size=1, max_size=6))
    encoded = [codec.encode(value) for value in column]
    assert all(map(same, map(codec.decode, encoded), column))
    assert list(codec.encode_all(column)) == encoded
    assert all(map(same, codec.decode_all(encoded), column))


def test_fields_have_their_declared_names_and_classes_a_tag_only_where_they_are_needed() -> None:
    assert of_state(Base).encode(Base("ann")) == b'{"first_name":"ann"}'
    assert of_state(Base).encode(Sub("ann", "lee")) == b'{"$Sub":{"first_name":"ann","last_name":"lee"}}'
    assert of_state(Placed | Paid).encode(Paid("7")) == b'{"$Paid":{"order":"7"}}'
    assert of_state(str | int).encode(5) == b"5"
    assert of_state(dict[int, str]).encode({1: "a"}) == b'[[1,"a"]]'
    assert of_state(Shape).encode(Square(2.0)) == b'{"$Square":{"side":2.0}}'


def test_equal_sets_have_equal_bytes() -> None:
    first, second = frozenset(["b", "a", "c"]), frozenset(["c", "b", "a"])
    assert of_state(frozenset[str]).encode(first) == of_state(frozenset[str]).encode(second) == b'["a","b","c"]'


@pytest.mark.parametrize(
    ("declared", "data", "reason"),
    [
        (Placed | Paid, b'{"order":"7"}', "without the name of its class; it was written by another version"),
        (Placed | Paid, b'{"$Returned":{"order":"7"}}', "'Returned' is no class of Placed | Paid; import the module"),
        (Shape, b'{"side":2.0}', "without the name of its class"),
        (Base, b'{"$Square":{"side":2.0}}', "'Square' is no class of Base"),
        (Cart, b'{"visits":{"(1,2)":3},"prices":[],"labels":[]}', "visits: expected dict"),
        (Placed, b"{}", "order: the field is missing in Placed"),
        (Colour, b'"GREEN"', "its members are: RED, BLUE"),
        (date, b'"2026-13-01"', "month must be in"),
        (int, b'"5"', "expected int, found str '5'"),
        (tuple[int, str], b"[1]", "expected tuple of 2, found list"),
        (list[int], b"[1", "truncated"),
    ],
)
def test_state_that_another_version_has_written_is_refused_if_it_cannot_be_read(declared: Any, data: bytes, reason: str) -> None:
    with pytest.raises(CodecError, match=reason):
        of_state(declared).decode(data)
    with pytest.raises(CodecError, match=reason):
        of_state(declared).decode_all([data] * 10)


def test_a_field_that_is_new_has_its_default_and_an_int_may_become_a_float() -> None:
    assert of_state(Sub).decode(b'{"first_name":"ann"}') == Sub("ann", "lee")
    assert of_state(Tree).decode(b'{"name":"a"}') == Tree("a")
    found = of_state(list[float]).decode(b"[5]")
    assert same(found, [5.0])


@dataclass
class Unresolved:
    parts: "list[Nowhere]"  # type: ignore[name-defined] # noqa: F821 - as of an import under TYPE_CHECKING


def test_the_error_about_a_name_that_means_nothing_at_run_time_says_where_to_define_it() -> None:
    for create in (of_state, lambda declared: JsonCodecs().for_value("t", declared)):
        with pytest.raises(JsonTypeError, match=r"cannot be resolved.*; import or define it at the top of its module"):
            create(Unresolved)


def test_a_field_that_a_class_does_not_have_any_more_is_not_lost() -> None:
    with pytest.raises(CodecError, match=r"Sub has no field 'middle' any more, so its value would be lost; keep the field$"):
        of_state(Base).decode(b'{"$Sub":{"first_name":"ann","middle":"jo"}}')
    with pytest.raises(CodecError, match="Late has the key 'middle', which is none of it"):
        of_state(Late).decode(b'{"name":"ann","middle":"jo"}')


def test_code_that_runs_after_creation_does_not_change_what_was_kept() -> None:
    value = Scaled(2.0, factor=3.0)
    value.doubled = 7.0
    codec = of_state(Scaled)
    assert codec.decode(codec.encode(value)) == value


@dataclass
class Noted:
    number: int


def test_attributes_that_are_no_fields_are_refused_unless_they_are_computed_from_them() -> None:
    square = Square(2.0)
    assert math.isclose(square.circumference, 8.0)
    codec = of_state(Square)
    assert codec.decode(codec.encode(square)) == square
    noted = Noted(1)
    noted.note = "text"  # type: ignore[attr-defined]
    with pytest.raises(CodecError, match="Noted has the attribute 'note', which is no field of it"):
        of_state(Noted).encode(noted)


class Odd(str):
    """Text that loses its class."""

    __slots__ = ()


def test_a_subclass_of_text_is_refused_however_many_texts_came_before() -> None:
    codec = StateJsonCodec(tuple[str, int])
    codec.encode_all([("a", 1)] * 500)
    for encode in (codec.encode, lambda value: codec.encode_all([value] * 10)):
        with pytest.raises(CodecError, match=r"expected str, found Odd"):
            encode((Odd("a"), 1))


def test_codecs_can_be_pickled() -> None:
    codec = pickle.loads(pickle.dumps(of_state(Placed | Paid)))
    assert codec.decode(codec.encode(Paid("a"))) == Paid("a")


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (datetime, b'"2020-01-01T12:00:00Z"'),
        (datetime, b'"2020-01-01T12:00:00+02:00"'),
        (time, b'"12:00:00-03:30"'),
        (dict[datetime, int], b'{"2020-01-01T12:00:00Z":1}'),
    ],
)
def test_times_as_topics_have_them_are_kept(kind: Any, data: bytes) -> None:
    codecs = JsonCodecs()
    read = codecs.for_value("t", kind).decode(data)
    state = codecs.for_state(kind)
    assert state.decode(state.encode(read)) == read


def test_not_a_number_in_a_set_comes_back() -> None:
    codec = StateJsonCodec(frozenset[float])
    (found,) = codec.decode(codec.encode(frozenset({float("nan")})))
    assert found != found  # noqa: PLR0124 - not-a-number alone differs from itself
