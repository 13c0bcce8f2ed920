"""Which types can be keys, and which of all equal keys is encoded."""
# ruff: noqa: DTZ001 - times without a zone are values, too

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from typing import Any, NamedTuple, TypedDict
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from eddyline import TopologyBuilder
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.ports.codec import CodecError
from eddyline.application.runtime.plan.encoding import KeyEncoder, StateKeyCodec, repartition_keys
from eddyline.application.topology.errors import TopologyError
from eddyline.application.topology.processor import Processor


@dataclass
class Mutable:
    number: int


@dataclass(frozen=True)
class Inner:
    labels: list[str]


@dataclass(frozen=True)
class Partly:
    number: int
    note: str = field(compare=False, default="")


@dataclass(frozen=True, eq=False)
class Identical:
    number: int


@dataclass(frozen=True)
class Folded:
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Folded) and self.name.lower() == other.name.lower()

    def __hash__(self) -> int:
        return hash(self.name.lower())


@dataclass(frozen=True, eq=False)
class Noted(Folded):
    note: str


class Entry(TypedDict):
    number: int


class Point(NamedTuple):
    x: float
    y: float


class Level(IntEnum):
    LOW = 1


class Mood(StrEnum):
    GOOD = "good"


class Colour(Enum):
    RED = 1


@dataclass(frozen=True)
class Place:
    at: datetime
    size: float = 0.0
    labels: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Cafe(Place):
    seats: Decimal = Decimal(0)


class Labelled(NamedTuple):
    labels: list[str]


class Model(BaseModel):
    number: int


class Stop(BaseModel):
    model_config = {"frozen": True}
    at: datetime
    fare: Decimal = Decimal(0)
    labels: frozenset[str] = frozenset()


class Route(BaseModel):
    model_config = {"frozen": True}
    stops: tuple[Stop, ...]


class Tagged(BaseModel):
    model_config = {"frozen": True}
    labels: set[str]


class FoldedModel(BaseModel):
    model_config = {"frozen": True}
    name: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FoldedModel) and self.name.lower() == other.name.lower()

    def __hash__(self) -> int:
        return hash(self.name.lower())


NO_KEYS: list[tuple[Any, str]] = [
    (Labelled, r"field 'labels' of 'Labelled': values of type 'list\[str\]' have no hash; use a tuple"),
    (Model, "values of type 'Model' have no hash; use model_config = {\"frozen\": True}"),
    (Tagged, r"field 'labels' of 'Tagged': values of type 'set\[str\]' have no hash; use a frozenset"),
    (
        FoldedModel,
        "'FoldedModel' does not have the __eq__ and __hash__ of a frozen model, so equal keys may differ",
    ),
    (dict, "values of type 'dict' have no hash; use a frozen dataclass with a field for each part, or a tuple"),
    (dict[str, int], r"values of type 'dict\[str, int\]' have no hash; use a frozen dataclass"),
    (list[str], r"values of type 'list\[str\]' have no hash; use a tuple"),
    (set[str], r"values of type 'set\[str\]' have no hash; use a frozenset"),
    (Entry, "values of type 'Entry' have no hash; use a frozen dataclass"),
    (Sequence[int], "have no hash; use text, a number, a tuple"),
    (Mutable, r"values of type 'Mutable' have no hash; use @dataclass\(frozen=True\) instead of @dataclass"),
    (tuple[Mutable, int], r"values of type 'Mutable' have no hash"),
    (str | list[str], r"values of type 'list\[str\]' have no hash"),
    (Inner, r"field 'labels' of 'Inner': values of type 'list\[str\]' have no hash; use a tuple"),
    (Partly, "field 'note' of 'Partly' is not compared, so equal keys may differ; remove compare=False"),
    (Folded, "'Folded' does not have the __eq__ of its own @dataclass, so equal keys may differ; remove the other one"),
    (Noted, "'Noted' does not have the __eq__ of its own @dataclass"),
    (Identical, "objects of 'Identical' are equal to none but themselves"),
    (Point | tuple[float, float], "values of Point and .* may be equal"),
    (str | Mood, "members of 'Mood' are equal to other values of the union"),
]


class Keeping(Processor[Any, Any, Any, Any]):
    def process(self, record: Any) -> None:
        raise NotImplementedError


USES: list[Callable[[TopologyBuilder, Any], Any]] = [
    lambda builder, key: builder.stream("in", key=str, value=str).group_by(lambda _k, v: v, key=key, name="by").count(store="s"),
    lambda builder, key: builder.stream("in", key=key, value=str).group_by_key().count(store="s"),
    lambda builder, key: builder.stream("in", key=str, value=str).select_key(lambda _k, v: v, key=key).repartition(name="by"),
    lambda builder, key: builder.table("in", key=key, value=str, store="s"),
    lambda builder, key: builder.global_table("in", key=key, value=str, store="s"),
]


@pytest.mark.parametrize(("key_type", "problem"), NO_KEYS)
@pytest.mark.parametrize("use", USES)
def test_a_type_whose_values_cannot_be_keys_is_refused_with_what_to_use(
    use: Callable[..., Any], key_type: Any, problem: str
) -> None:
    with pytest.raises(TopologyError, match=rf"the keys of .* are needed .*, but .*{problem}"):
        use(TopologyBuilder(), key_type)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    "key_type", [str, Place, Cafe | None, tuple[Colour, int], frozenset[Point], int | float, Mood, object, Route]
)
def test_other_types_can_be_keys(use: Callable[..., Any], key_type: Any) -> None:
    use(TopologyBuilder(), key_type)


def test_a_stream_may_have_such_keys_if_nothing_looks_for_them() -> None:
    rows = TopologyBuilder().stream("rows", key=dict[str, int], value=str)
    rows.select_key(lambda key, _value: key["id"], key=int).group_by_key().count(store="s")


NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
BERLIN = NOON.astimezone(ZoneInfo("Europe/Berlin"))
EQUAL: list[tuple[Any, list[Any]]] = [
    (int, [1, True, 1.0, Decimal("1.0"), Level.LOW]),
    (float, [1.0, 1, True, Decimal(1)]),
    (float, [0.0, -0.0, 0]),
    (bool, [True, 1, 1.0]),
    (Decimal, [Decimal("1.50"), Decimal("1.5"), 1.5, Fraction(3, 2)]),
    (Decimal, [Decimal(100), Decimal("1E+2"), 100]),
    (Decimal, [Decimal("-0.00"), Decimal(0)]),
    (Fraction, [Fraction(1, 2), 0.5, Decimal("0.50")]),
    (datetime, [NOON, BERLIN, NOON.astimezone(timezone(timedelta(hours=-7)))]),
    (datetime, [datetime(2026, 1, 1), datetime(2026, 1, 1, fold=1)]),
    (time, [time(12, tzinfo=UTC), time(14, tzinfo=timezone(timedelta(hours=2)))]),
    (time, [time(0, 30, tzinfo=timezone(timedelta(hours=1))), time(1, tzinfo=timezone(timedelta(hours=1, minutes=30)))]),
    (int | float, [1, 1.0, True]),
    (int | Decimal | float, [1.0, Decimal(1), 1]),
    (float | Decimal, [0.5, Decimal("0.50")]),
    (str | float, [1, 1.0]),
    (Any, [1, 1.0, True, Level.LOW]),
    (Any, ["good", Mood.GOOD]),
    (str, ["good", Mood.GOOD]),
    (Mood, [Mood.GOOD, "good"]),
    (Level, [Level.LOW, 1, 1.0]),
    (tuple[float, str], [(1.0, "a"), (True, "a")]),
    (tuple[float, float], [(1, 2), Point(1.0, 2)]),
    (Point, [Point(1, -0.0), (1.0, 0)]),
    (frozenset[float], [frozenset([1, 2.0, -0.0]), frozenset([0, 2, True])]),
    (frozenset[str], [frozenset("abcdefgh"), frozenset("hgfedcba")]),
    (Place, [Place(NOON, 1, frozenset("ab")), Place(BERLIN, True, frozenset("ba"))]),
    (Place, [Cafe(NOON, seats=Decimal("1.0")), Cafe(BERLIN, seats=Decimal(1))]),
    (Place | Mood, [Place(NOON), Place(BERLIN)]),
    (datetime, [datetime(1, 1, 1, hours, tzinfo=timezone(timedelta(hours=1 + hours))) for hours in range(3)]),
    (datetime, [datetime(9999, 12, 31, 23 - hours, tzinfo=timezone(-timedelta(hours=3 + hours))) for hours in range(3)]),
    (tuple[Place, ...], [(Place(NOON, 5),), (Place(BERLIN, 5.0),)]),
    (
        Stop,
        [Stop(at=NOON, fare=Decimal("1.0"), labels=frozenset("ab")), Stop(at=BERLIN, fare=Decimal(1), labels=frozenset("ba"))],
    ),
    (Route, [Route(stops=(Stop(at=NOON),)), Route(stops=(Stop(at=BERLIN),))]),
]


@pytest.mark.parametrize(("key_type", "keys"), EQUAL)
def test_equal_keys_have_equal_bytes_and_come_back_equal(key_type: Any, keys: list[Any]) -> None:
    codecs = JsonCodecs()
    state = StateKeyCodec(codecs.for_state(key_type), key_type)
    encoded = {state.encode(key) for key in keys}
    assert len(encoded) == 1
    assert all(state.decode(data) == key and hash(state.decode(data)) == hash(key) for data in encoded for key in keys)
    assert set(state.encode_all(keys)) == encoded
    if not any(isinstance(key, Cafe) for key in keys):  # which topics refuse, since they would come back as places
        assert len({KeyEncoder(codecs.for_key("t", key_type), key_type).encode(key) for key in keys}) == 1
    windowed = StateKeyCodec(codecs.for_state(tuple[key_type, int]), tuple[key_type, int])
    assert len({windowed.encode((key, 5)) for key in keys}) == 1


NUMBERS = st.integers(-3, 3) | st.sampled_from([0.5, -0.0, 1.0, 2.0, True, Decimal("0.50"), Decimal("2.00"), Fraction(1, 2)])


@given(NUMBERS, NUMBERS, st.sampled_from([int | float | Decimal, float | Decimal, Decimal, Fraction]))
def test_numbers_have_equal_bytes_if_and_only_if_they_are_equal(one: Any, other: Any, key_type: Any) -> None:
    codec = StateKeyCodec(JsonCodecs().for_state(key_type), key_type)
    assert (codec.encode(one) == codec.encode(other)) is (one == other)


@pytest.mark.parametrize(
    ("key", "reason"),
    [({"a": 1}, "dict .* has no hash, so it cannot be a key; use a frozen dataclass"), (float("nan"), "is not equal to itself")],
)
def test_a_value_of_unknown_type_that_cannot_be_a_key_is_refused(key: Any, reason: str) -> None:
    with pytest.raises(CodecError, match=reason):
        StateKeyCodec(JsonCodecs().for_state(Any), Any).encode(key)


@pytest.mark.parametrize(
    "keys",
    [
        [frozenset("abcdefgh"), frozenset("hgfedcba")],
        [(1, NOON), (True, BERLIN)],
        [frozenset([(1.0, "a"), (2, "b")]), frozenset([(2.0, "b"), (1, "a")])],
    ],
)
def test_equal_keys_of_unknown_type_have_equal_bytes_in_topics(keys: list[Any]) -> None:
    assert len({KeyEncoder(JsonCodecs().for_key("t", Any), Any).encode(key) for key in keys}) == 1


@pytest.mark.parametrize("key_type", [str, bytes, int, float, bool])
def test_simple_keys_cross_repartition_topics_as_in_other_topics(key_type: Any) -> None:
    assert repartition_keys(JsonCodecs(), "t", key_type).partitioned is None


@pytest.mark.parametrize(
    ("key_type", "key", "in_topics"),
    [
        (Place, Place(BERLIN, 1), b'{"at":"2026-07-01T12:00:00Z","size":1.0,"labels":[]}'),
        (Any, "a", b"a"),
        (Any, 5, b"5"),
        (Decimal, Decimal("1.50"), b'"1.5"'),
    ],
)
def test_other_keys_come_back_from_repartition_topics_and_choose_the_partitions_of_other_topics(
    key_type: Any, key: Any, in_topics: bytes
) -> None:
    found = repartition_keys(JsonCodecs(), "t", key_type)
    assert found.partitioned is not None
    assert KeyEncoder(found.partitioned, key_type).encode(key) == in_topics
    assert found.codec.decode(found.codec.encode(key)) == key
