"""Hypothesis strategies of values that Avro can represent."""

from datetime import UTC

from hypothesis import strategies as st

from tests.adapters.avro.models import Everything, Leg, Level, Pair, Side

LONGS = st.integers(-(2**63), 2**63 - 1)
STRINGS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
DECIMALS = st.decimals(min_value=-(10**20), max_value=10**20, places=9, allow_nan=False, allow_infinity=False)
LEGS = st.builds(Leg, DECIMALS, st.lists(STRINGS, max_size=3).map(tuple))
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | LONGS | st.floats(allow_nan=False) | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=8,
)
EVERYTHING = st.builds(
    Everything,
    text=STRINGS,
    whole=LONGS,
    fraction=st.floats(allow_nan=False),
    truth=st.booleans(),
    raw=st.binary(max_size=20),
    money=DECIMALS,
    day=st.dates(),
    clock=st.times(),
    instant=st.datetimes(timezones=st.just(UTC)),
    identity=st.uuids(),
    side=st.sampled_from(Side),
    level=st.sampled_from(Level),
    mode=st.sampled_from(["fast", "slow"]),
    legs=st.lists(LEGS, max_size=3),
    names=st.dictionaries(STRINGS, LONGS, max_size=3),
    maybe=st.none() | STRINGS,
    several=st.none() | LONGS | STRINGS | LEGS | st.sampled_from(Side),
    nested=st.dictionaries(STRINGS, st.lists(st.none() | LEGS, max_size=3), max_size=3),
    open_value=JSON_VALUES,
    pair_of_legs=st.builds(Pair, LEGS, LEGS),
)
