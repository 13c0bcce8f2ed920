"""The topics that the queries read; a topic that several queries of one topology read is read once."""

from datetime import UTC, datetime

from eddyline import Stream, TopologyBuilder
from nexmark.events import Auction, Bid, Person

GRACE_MS = 4_000
"""How late an event may be."""


def persons(builder: TopologyBuilder) -> Stream[int, Person]:
    """Read the persons by id."""
    return builder.stream("person", key=int, value=Person).filter(is_event, drop_reason="null-value")


def auctions(builder: TopologyBuilder) -> Stream[int, Auction]:
    """Read the auctions by id."""
    return builder.stream("auction", key=int, value=Auction).filter(is_event, drop_reason="null-value")


def bids(builder: TopologyBuilder) -> Stream[int, Bid]:
    """Read the bids by the id of their auction."""
    return builder.stream("bid", key=int, value=Bid).filter(is_event, drop_reason="null-value")


def is_event(key: int | None, event: Person | Auction | Bid | None) -> bool:
    """Return whether a record has a key and a value, which any record may lack."""
    return key is not None and event is not None


def price_of(bid: Bid) -> int:
    """Return the price of a bid, in cents."""
    return bid.price


def bidder_of(bid: Bid) -> int:
    """Return the bidder."""
    return bid.bidder


def day_of(bid: Bid) -> str:
    """Return the day of a bid in UTC, such as 2015-07-15."""
    return datetime.fromtimestamp(bid.date_time / 1_000, UTC).strftime("%Y-%m-%d")
