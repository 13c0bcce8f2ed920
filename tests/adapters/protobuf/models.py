from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from uuid import UUID

from hypothesis import strategies as st


class Side(Enum):
    BUY = "buy"
    SELL = "sell"


@dataclass(frozen=True)
class Leg:
    price: Decimal
    at: datetime
    tags: tuple[str, ...] = ()


@dataclass
class Everything:
    text: str
    data: bytes
    count: int
    ratio: float
    ok: bool
    side: Side
    price: Decimal
    at: datetime
    took: timedelta
    day: date
    hour: time
    id: UUID
    leg: Leg
    legs: list[Leg]
    sides: list[Side]
    numbers: set[int]
    by_name: dict[str, Leg]
    by_number: dict[int, float]
    by_flag: dict[bool, Side]
    maybe: int | None = None
    maybe_leg: Leg | None = None
    maybe_side: Side | None = None
    children: "list[Everything]" = field(default_factory=list)


_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
_LONGS = st.integers(-(2**63), 2**63 - 1)
_NUMBERS = st.floats(allow_nan=False)
_TIMES = st.datetimes(timezones=st.just(UTC))
_SIDES = st.sampled_from(Side)
_PRICES = st.decimals(allow_nan=False)
LEGS = st.builds(Leg, _PRICES, _TIMES, st.lists(_TEXTS, max_size=2).map(tuple))
EVERYTHING = st.builds(
    Everything,
    *(_TEXTS, st.binary(max_size=9), _LONGS, _NUMBERS, st.booleans(), _SIDES, _PRICES, _TIMES),
    *(st.timedeltas(timedelta(days=-9_999), timedelta(days=9_999)), st.dates(), st.times(), st.uuids(), LEGS),
    st.lists(LEGS, max_size=2),
    st.lists(_SIDES, max_size=2),
    st.sets(_LONGS, max_size=2),
    st.dictionaries(_TEXTS, LEGS, max_size=2),
    st.dictionaries(_LONGS, _NUMBERS, max_size=2),
    st.dictionaries(st.booleans(), _SIDES, max_size=2),
    st.none() | _LONGS,
    st.none() | LEGS,
    st.none() | _SIDES,
)
