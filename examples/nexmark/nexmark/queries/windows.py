"""Queries over windows and sessions: q5, q7, q8, q11 and q12."""

from dataclasses import dataclass

from eddyline import TopologyBuilder, Windowed, hopping, session, tumbling, wall_clock_time
from eddyline import aggregations as agg
from nexmark.events import Auction, Bid, Person
from nexmark.queries.sources import GRACE_MS, auctions, bids, is_event, persons, price_of

TEN_SECONDS = 10_000


@dataclass(frozen=True, slots=True)
class HotAuction:
    """How many bids an auction got in a window."""

    auction: int
    num: int
    starttime: int
    endtime: int


def q5(builder: TopologyBuilder, *, grace_ms: int = GRACE_MS) -> None:
    """Find the auctions with most bids in each window of 10 seconds, every 2 seconds; a result has all auctions of a window.

    The counts of a window only grow, so the greatest of all updates are current, and no earlier ones need to be subtracted.
    """
    (
        bids(builder)
        .group_by_key()
        .windowed_by(hopping(TEN_SECONDS, advance=2_000, grace=grace_ms))
        .count(store="q5-counts")
        .to_stream()
        .map(hot_auction)
        .group_by_key(name="q5-by-window")
        .aggregate(agg.top_n(1, by=lambda auction: auction.num, with_ties=True), store="q5-hottest")
        .to_stream()
        .to("q5")
    )


def hot_auction(auction: Windowed[int], num: int) -> tuple[int, HotAuction]:
    """Return the number of bids of an auction by the start of the window."""
    return auction.window.start, HotAuction(auction.key, num, auction.window.start, auction.window.end)


def q7(builder: TopologyBuilder, *, grace_ms: int = GRACE_MS) -> None:
    """Find the highest bids in each window of 10 seconds; a result has all bids of the highest price."""
    (
        bids(builder)
        .group_by(lambda _auction, _bid: 0, key=int, name="q7-all")
        .windowed_by(tumbling(TEN_SECONDS, grace=grace_ms))
        .aggregate(agg.top_n(1, by=price_of, with_ties=True), store="q7-highest")
        .to_stream(lambda windowed, _bids: windowed.window.start, key=int)
        .to("q7")
    )


@dataclass(frozen=True, slots=True)
class NewSeller:
    """A person who has opened an auction in the window of the registration."""

    id: int
    name: str
    starttime: int


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a person has done in a window: registered, if there is a name, and opened an auction."""

    name: str | None
    is_seller: bool


NOTHING = Beginning(None, is_seller=False)
OPENED = Beginning(None, is_seller=True)


def q8(builder: TopologyBuilder, *, grace_ms: int = GRACE_MS) -> None:
    """Find who has registered and opened an auction within the same 10 seconds.

    Both events are about a person: one aggregation of the two streams takes them in parts, before they are repartitioned, and
    keeps one row of a person and window, where a join of two windowed tables would keep two.
    """
    registered = persons(builder).map_values(registration)
    opened = auctions(builder).map(opening)
    (
        registered.merge(opened, name="q8-events")
        .group_by_key(name="q8-by-person")
        .windowed_by(tumbling(TEN_SECONDS, grace=grace_ms))
        .aggregate(lambda: NOTHING, both, merge=both, value=Beginning, store="q8-beginnings")
        .filter(lambda _person, beginning: beginning.name is not None and beginning.is_seller)
        .to_stream()
        .map(new_seller)
        .to("q8")
    )


def registration(person: Person) -> Beginning:
    """Return that a person has registered."""
    return Beginning(person.name, is_seller=False)


def opening(_id: int, auction: Auction) -> tuple[int, Beginning]:
    """Return that the seller has opened an auction, by the seller."""
    return auction.seller, OPENED


def both(one: Beginning, other: Beginning) -> Beginning:
    """Return what a person has done according to one of both."""
    return Beginning(other.name if one.name is None else one.name, one.is_seller or other.is_seller)


def new_seller(person: Windowed[int], beginning: Beginning) -> tuple[int, NewSeller]:
    """Return a row by the person's id."""
    return person.key, NewSeller(person.key, beginning.name or "", person.window.start)


@dataclass(frozen=True, slots=True)
class Activity:
    """How many bids a bidder made from a time to another."""

    bidder: int
    bid_count: int
    starttime: int
    endtime: int


def q11(builder: TopologyBuilder, *, grace_ms: int = GRACE_MS) -> None:
    """Count the bids of each session of a bidder, whose bids are at most 10 seconds apart."""
    (
        bids(builder)
        .group_by(bidder_of_bid, name="q11-by-bidder")
        .windowed_by(session(TEN_SECONDS, grace=grace_ms))
        .count(store="q11-sessions")
        .to_stream()
        .map(session_row)
        .to("q11")
    )


def session_row(bidder: Windowed[int], count: int | None) -> tuple[tuple[int, int], Activity | None]:
    """Return a row by bidder and start; None for a session that has become part of another one."""
    start, end = bidder.window
    return (bidder.key, start), None if count is None else Activity(bidder.key, count, start, end + TEN_SECONDS)


def q12(builder: TopologyBuilder) -> None:
    """Count the bids of each bidder that arrive within the same 10 seconds of the system's clock."""
    (
        builder.stream("bid", key=int, value=Bid, timestamp=wall_clock_time)
        .filter(is_event, drop_reason="null-value")
        .group_by(bidder_of_bid, name="q12-by-bidder")
        .windowed_by(tumbling(TEN_SECONDS, grace=0))
        .count(store="q12-counts")
        .to_stream()
        .map(window_row)
        .to("q12")
    )


def bidder_of_bid(_auction: int, bid: Bid) -> int:
    """Return the bidder."""
    return bid.bidder


def window_row(bidder: Windowed[int], count: int) -> tuple[tuple[int, int], Activity]:
    """Return a row by bidder and start."""
    start, end = bidder.window
    return (bidder.key, start), Activity(bidder.key, count, start, end)
