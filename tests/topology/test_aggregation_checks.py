"""Mistakes in ready-made aggregations are found while the topology is built."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from eddyline import TopologyBuilder, TopologyError, session
from eddyline import aggregations as agg


@dataclass(frozen=True)
class Bid:
    price: int


@dataclass(frozen=True)
class Statistics:
    bids: int
    low: int


def price(bid: Bid) -> int:
    return bid.price


@pytest.mark.parametrize(
    ("define", "message"),
    [
        (
            lambda: agg.count_distinct(lambda bid: bid.price),
            r"type that '.*lambda.*' returns is unknown, but count_d",
        ),
        (lambda: agg.sum(lambda bid: bid.price), r"returns is unknown, but sum\(…\) keeps such values; annotate its return type"),
        (lambda: agg.top_n(0, by=price), r"top_n\(…\) takes the number of values, 1 or more, but got 0"),
        (lambda: agg.percentile(price, 99), r"fraction= of percentile\(…\) is 99; pass a number from 0 to 1, such as 0.99 for"),
        (lambda: agg.percentile(price, True), r"fraction= of percentile\(…\) is True; pass a number"),
        (lambda: agg.percentile(price, 0.5, error=0), r"error= of percentile\(…\) is 0; pass a number from 0.0001 to 0.5"),
        (lambda: agg.combine(Statistics, bids=agg.count()), r"gives 'Statistics' the fields bids, but: missing .*'low'"),
        (
            lambda: agg.combine(Bid, prize=agg.count()),
            r"gives 'Bid' the fields prize, but: .*; pass an aggregation for each",
        ),
    ],
)
def test_mistakes_are_found_where_they_are_made(define: Callable[[], object], message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        define()


def test_the_types_of_values_can_be_given() -> None:
    assert agg.sum(lambda bid: bid.price, value=int).result_type(Bid) is int


@pytest.mark.parametrize("windowed", [False, True])
def test_an_initializer_needs_an_adder(windowed: bool) -> None:
    grouped: Any = TopologyBuilder().stream("in", key=str, value=Bid).group_by_key()
    if windowed:
        grouped = grouped.windowed_by(session(5, grace=0))
    with pytest.raises(TypeError, match=r"takes an initializer and an adder, or a ready-made aggregation of ed"):
        grouped.aggregate(int)
