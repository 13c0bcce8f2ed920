"""The ready-made aggregations on groups, windows, sessions and tables, against the same results computed from all values."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import ceil
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline import TopologyBuilder, Window, hopping, session
from eddyline import aggregations as agg
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.runtime.plan.topic_types import store_types
from eddyline.testing import MemoryEngine
from tests.fixtures.examples import examples
from tests.operators.running import engine_for


@dataclass(frozen=True)
class Bid:
    """A bid; `number` is different for each."""

    price: int
    bidder: str | None
    number: int


@dataclass(frozen=True)
class Statistics:
    bids: int
    low: int
    bidders: int
    best: Bid | None
    prices: float | None


def price(bid: Bid) -> int:
    return bid.price


def bidder(bid: Bid) -> str | None:
    return bid.bidder


def rank(bid: Bid) -> tuple[int, int]:
    return bid.price, bid.number


def is_low(bid: Bid) -> bool:
    return bid.price < 3


def highest(bids: Sequence[Bid], by: Callable[[Bid], Any]) -> list[Bid]:
    return sorted(bids, key=by, reverse=True)


def highest_with_ties(bids: Sequence[Bid], n: int) -> list[Bid]:
    ordered = highest(bids, price)
    return [bid for bid in ordered if bid.price >= ordered[:n][-1].price]


def mean(bids: Sequence[Bid]) -> float | None:
    return sum(bid.price for bid in bids) / len(bids) if bids else None


def nearest_rank(numbers: Sequence[float], fraction: Fraction) -> float | None:
    return sorted(numbers)[max(1, ceil(fraction * len(numbers))) - 1] if numbers else None


def near(number: float | None, error: float = 0.01) -> Any:
    return None if number is None else pytest.approx(number, rel=error, abs=0)


def distinct(bids: Sequence[Bid]) -> int:
    return len({bid.bidder for bid in bids} - {None})


AGGREGATIONS: dict[str, tuple[agg.Aggregation[Bid, Any], Callable[[list[Bid]], Any]]] = {
    "count": (agg.count(), len),
    "count where": (agg.count().where(is_low), lambda bids: sum(map(is_low, bids))),
    "count_distinct": (agg.count_distinct(bidder), distinct),
    "count_distinct where": (agg.count_distinct(bidder).where(is_low), lambda bids: distinct(list(filter(is_low, bids)))),
    "sum": (agg.sum(price), lambda bids: sum(bid.price for bid in bids)),
    "avg": (agg.avg(price), mean),
    "min": (agg.min(price), lambda bids: min((bid.price for bid in bids), default=None)),
    "max": (agg.max(price), lambda bids: max((bid.price for bid in bids), default=None)),
    "min_by": (agg.min_by(rank), lambda bids: min(bids, key=rank, default=None)),
    "max_by": (agg.max_by(rank), lambda bids: max(bids, key=rank, default=None)),
    "top_n": (agg.top_n(3, by=rank), lambda bids: highest(bids, rank)[:3]),
    "collect_list": (agg.collect_list(by=rank), lambda bids: sorted(bids, key=rank)),
    "percentile": (agg.percentile(price, 0.9), lambda bids: near(nearest_rank([bid.price for bid in bids], Fraction(9, 10)))),
    "combine": (
        agg.combine(
            Statistics,
            bids=agg.count(),
            low=agg.count().where(is_low),
            bidders=agg.count_distinct(bidder),
            best=agg.max_by(rank),
            prices=agg.avg(price),
        ),
        lambda bids: Statistics(len(bids), sum(map(is_low, bids)), distinct(bids), max(bids, key=rank, default=None), mean(bids)),
    ),
}
"""The aggregations, whose results do not depend on the order of the values, with the same results for a list of values."""

ORDERED: dict[str, tuple[agg.Aggregation[Bid, Any], Callable[[list[Bid]], Any]]] = {
    "min_by": (agg.min_by(price), lambda bids: min(bids, key=price)),
    "max_by": (agg.max_by(price), lambda bids: max(bids, key=price)),
    "top_n": (agg.top_n(3, by=price), lambda bids: highest(bids, price)[:3]),
    "top_n with ties": (agg.top_n(2, by=price, with_ties=True), lambda bids: highest_with_ties(bids, 2)),
    "collect_list": (agg.collect_list(), list),
    "collect_list sorted": (agg.collect_list(by=price), lambda bids: sorted(bids, key=price)),
}
"""The aggregations that keep the order of equal values."""

BIDS = st.lists(
    st.tuples(st.sampled_from("xy"), st.integers(0, 5), st.sampled_from(["ann", "bob", "cy", None]), st.integers(0, 60))
)


def numbered(found: Iterable[tuple[str, int, str | None, int]]) -> list[tuple[str, Bid, int]]:
    return [(key, Bid(price, bidder, number), time) for number, (key, price, bidder, time) in enumerate(found)]


def final(engine: MemoryEngine) -> dict[Any, Any]:
    """Return the last value of each key that was written, without those that were deleted."""
    engine.commit()
    latest = {output.key: output.value for output in engine.outputs("out")}
    return {key: value for key, value in latest.items() if value is not None}


def check_codec(engine: MemoryEngine) -> None:
    """Check that the codec of state preserves the state of the aggregation."""
    spec = engine.topology.stores["results"]
    codec = JsonCodecs().for_state(store_types(spec)[1])
    for row in engine.store("results"):
        value = (row.value, row.timestamp) if spec.timestamped else row.value
        assert codec.decode(codec.encode(value)) == value


@pytest.mark.parametrize("name", [*AGGREGATIONS, *(f"{name}, in order" for name in ORDERED)])
@given(found=BIDS)
@settings(max_examples=examples(50))
def test_groups_have_the_results_of_their_values(name: str, found: list[Any]) -> None:
    aggregation, model = {**AGGREGATIONS, **{f"{name}, in order": each for name, each in ORDERED.items()}}[name]

    def define(builder: TopologyBuilder) -> None:
        bids = builder.stream("in", key=str, value=Bid)
        bids.group_by_key().aggregate(aggregation, store="results").to_stream().to("out")

    engine = engine_for(define)
    values: dict[str, list[Bid]] = {}
    for key, bid, time in numbered(found):
        engine.pipe("in", key, bid, time)
        values.setdefault(key, []).append(bid)
        assert engine.outputs("out")[-1].value == model(values[key])
    check_codec(engine)


@pytest.mark.extensive
@pytest.mark.parametrize("emit", ["every-update", "latest"])
@pytest.mark.parametrize("name", AGGREGATIONS)
@given(found=BIDS)
@settings(max_examples=examples(25))
def test_windows_have_the_results_of_their_values(name: str, emit: Any, found: list[Any]) -> None:
    aggregation, model = AGGREGATIONS[name]

    def define(builder: TopologyBuilder) -> None:
        windows = builder.stream("in", key=str, value=Bid).group_by_key().windowed_by(hopping(20, advance=10, grace=1_000))
        windows.aggregate(aggregation, store="results").to_stream().to("out")

    engine = engine_for(define, emit=emit)
    values: dict[Any, list[Bid]] = {}
    for key, bid, time in numbered(found):
        engine.pipe("in", key, bid, time)
        for start in {time // 10 * 10, max(0, time // 10 * 10 - 10)}:
            values.setdefault((key, Window(start, start + 20)), []).append(bid)
    expected = {key: model(bids) for key, bids in values.items()}
    assert final(engine) == {key: result for key, result in expected.items() if result is not None}
    check_codec(engine)


@pytest.mark.extensive
@pytest.mark.parametrize("name", AGGREGATIONS)
@given(found=BIDS)
@settings(max_examples=examples(25))
def test_sessions_have_the_results_of_their_values(name: str, found: list[Any]) -> None:
    aggregation, model = AGGREGATIONS[name]

    def define(builder: TopologyBuilder) -> None:
        sessions = builder.stream("in", key=str, value=Bid).group_by_key().windowed_by(session(5, grace=1_000))
        sessions.aggregate(aggregation, store="results").to_stream().to("out")

    engine = engine_for(define)
    bids = numbered(found)
    for key, bid, time in bids:
        engine.pipe("in", key, bid, time)
    expected = {}
    for key in "xy":
        times = sorted({time for each, _, time in bids if each == key})
        starts = times[:1] + [later for earlier, later in pairwise(times) if later - earlier > 5]
        for start, following in pairwise([*starts, 1_000]):
            end = max(time for time in times if time < following)
            expected[key, (start, end)] = model([bid for each, bid, time in bids if each == key and start <= time <= end])
    assert final(engine) == {key: result for key, result in expected.items() if result is not None}
    check_codec(engine)


ROWS = st.lists(
    st.tuples(
        st.sampled_from("abcd"), st.none() | st.tuples(st.integers(0, 5), st.sampled_from(["ann", "bob", None]), st.booleans())
    )
)


@pytest.mark.parametrize("name", AGGREGATIONS)
@given(updates=ROWS)
@settings(max_examples=examples(50))
def test_groups_of_tables_have_the_results_of_their_present_rows(name: str, updates: list[Any]) -> None:
    aggregation, model = AGGREGATIONS[name]

    def group_of(_key: str, bid: Bid) -> tuple[str, Bid]:
        return "low" if bid.price < 2 else "high", bid

    def define(builder: TopologyBuilder) -> None:
        grouped = builder.table("in", key=str, value=Bid).group_by(group_of, key=str, value=Bid)
        grouped.aggregate(aggregation, store="results").to_stream().to("out")

    engine = engine_for(define)
    rows: dict[str, Bid] = {}
    for number, (key, update) in enumerate(updates):
        bid = None if update is None else Bid(update[0], update[1], number)
        engine.pipe("in", key, bid, number)
        rows.pop(key, None)
        if bid is not None:
            rows[key] = bid
        groups = {group: [bid for key, bid in rows.items() if group_of(key, bid)[0] == group] for group in ("low", "high")}
        found = {output.key: output.value for output in engine.outputs("out")}
        assert found == {group: model(groups[group]) for group in found}
        assert {group for group, bids in groups.items() if bids} <= set(found)
    check_codec(engine)


def test_values_in_the_order_of_their_arrival_are_not_aggregated_in_parts() -> None:
    def merges(aggregation: agg.Aggregation[Bid, Any], *, sessions: bool) -> bool:
        grouped: Any = TopologyBuilder().stream("in", key=str, value=Bid).group_by_key()
        if sessions:
            grouped = grouped.windowed_by(session(5, grace=0))
        table = grouped.aggregate(aggregation)
        return table._graph.build().by_name[table._ref.node.name].fold.merge is not None  # noqa: SLF001 - the node has no public name

    assert merges(agg.collect_list(by=rank), sessions=False)
    assert not merges(agg.collect_list(), sessions=False)
    assert merges(agg.collect_list(), sessions=True)


def test_ties_of_a_table_are_all_kept() -> None:
    def by_group(_key: str, bid: Bid) -> tuple[str, Bid]:
        return "all", bid

    def define(builder: TopologyBuilder) -> None:
        grouped = builder.table("in", key=str, value=Bid).group_by(by_group)
        grouped.aggregate(agg.top_n(1, by=price, with_ties=True)).to_stream().to("out")

    engine = engine_for(define)
    for key, cost in [("a", 5), ("b", 5), ("c", 4), ("a", 3), ("b", 4)]:
        engine.pipe("in", key, Bid(cost, key, 0), 0)
    found = [Counter(bid.bidder for bid in output.value) for output in engine.outputs("out")]
    assert found == [Counter("a"), Counter("ab"), Counter("ab"), Counter("b"), Counter("bc")]


def test_many_distinct_values_are_counted_in_few_sets() -> None:
    def define(builder: TopologyBuilder) -> None:
        numbers = builder.stream("in", key=str, value=int)
        numbers.group_by_key().aggregate(agg.count_distinct(int), store="results").to_stream().to("out")

    engine = engine_for(define)
    for number in range(600):
        engine.pipe("in", "k", number * 7 % 200, 0)
    ((sets, _),) = [(row.value, row.timestamp) for row in engine.store("results")]
    assert engine.outputs("out")[-1].value == sum(map(len, sets)) == 200
    assert all(len(one) >= 2 * len(other) for one, other in pairwise(sets))


FINITE = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False) | st.integers(-(10**9), 10**9)


@given(
    numbers=st.lists(FINITE, min_size=1, max_size=40),
    other=st.lists(FINITE, max_size=20),
    fraction=st.sampled_from([0, 0.01, 0.07, 0.5, 0.9, 0.99, 1]),
    error=st.sampled_from([0.0001, 0.01, 0.2, 0.5]),
    random=st.randoms(use_true_random=False),
)
@settings(max_examples=examples(400))
def test_a_percentile_is_within_its_error_and_the_same_for_every_order_and_cut(
    numbers: list[float], other: list[float], fraction: float, error: float, random: Random
) -> None:
    steps = agg.percentile(float, fraction, error=error).of_table
    add, merge, subtract, result = steps.fold.add, steps.fold.merge, steps.fold.subtract, steps.result
    assert merge is not None
    assert subtract is not None
    assert result is not None
    sketch = reduce(add, numbers, steps.fold.initial())
    exact = nearest_rank(numbers, Fraction(str(fraction)))
    assert exact is not None
    assert abs(result(sketch) - exact) <= error * abs(exact)
    shuffled = random.sample(numbers, len(numbers))
    cut = random.randint(0, len(numbers))
    parts = (reduce(add, part, steps.fold.initial()) for part in (shuffled[:cut], other, shuffled[cut:]))
    assert reduce(subtract, other, reduce(merge, parts)) == sketch


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf"), 10**400, None, "many"])
def test_a_percentile_of_what_is_no_finite_number_is_an_error_that_shows_it(number: Any) -> None:
    steps = agg.percentile(lambda value: value, 0.5).of_stream
    with pytest.raises(ValueError, match=r"^percentile\(…\) takes finite numbers, but got "):
        steps.fold.add(steps.fold.initial(), number)


def test_a_sketch_is_refused_by_a_percentile_with_another_error() -> None:
    kept, now = agg.percentile(float, 0.5).of_stream, agg.percentile(float, 0.5, error=0.02).of_stream
    with pytest.raises(ValueError, match=r"kept with error=0.01, which is 0.02 now; reset the flow"):
        now.fold.add(kept.fold.initial(), 5.0)


def test_the_buckets_of_a_percentile_grow_with_the_range_of_the_numbers() -> None:
    steps = agg.percentile(float, 0.99).of_stream
    _, counts = reduce(steps.fold.add, range(1, 10**6, 37), steps.fold.initial())
    assert len(counts) <= 692
