"""Queries that look at one bid at a time: q0, q1, q2, q14, q21 and q22."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from eddyline import TopologyBuilder
from nexmark.events import Bid
from nexmark.queries.sources import bids

CHANNEL_IDS = {"apple": "0", "google": "1", "facebook": "2", "baidu": "3"}
CENTS_IN_RANGE = range(1_000_000_000 // 908 + 1, 50_000_000_000 // 908 + 1)
"""The prices above a million and below 50 million euros."""
DAY, NIGHT = range(8, 19), (*range(7), *range(20, 24))
"""The hours of the day and of the night."""
_CHANNEL_ID = re.compile(r"(?:&|^)channel_id=([^&]*)")


def q0(builder: TopologyBuilder) -> None:
    """Pass all bids on, unchanged."""
    bids(builder).to("q0")


@dataclass(frozen=True, slots=True)
class BidInEuros:
    """A bid with its price in another currency."""

    auction: int
    bidder: int
    price: float
    date_time: int
    extra: str


def q1(builder: TopologyBuilder) -> None:
    """Convert the price of each bid to euros."""
    bids(builder).map_values(in_euros).to("q1")


def in_euros(bid: Bid) -> BidInEuros:
    """Return a bid with its price in euros."""
    return BidInEuros(bid.auction, bid.bidder, bid.price * 908 / 1_000, bid.date_time, bid.extra)


@dataclass(frozen=True, slots=True)
class Offer:
    """The price of a bid."""

    auction: int
    price: int


def q2(builder: TopologyBuilder) -> None:
    """Select the bids at some auctions."""
    bids(builder).filter(lambda auction, _bid: auction % 123 == 0).map_values(offer).to("q2")


def offer(bid: Bid) -> Offer:
    """Return the price of a bid."""
    return Offer(bid.auction, bid.price)


@dataclass(frozen=True, slots=True)
class ClassifiedBid:
    """A bid in euros, with the time of its day and the number of letters c."""

    auction: int
    bidder: int
    price: float
    bid_time_type: str
    date_time: int
    extra: str
    c_counts: int


def q14(builder: TopologyBuilder) -> None:
    """Classify the bids of a range of prices."""
    bids(builder).filter(is_in_range).map_values(classified).to("q14")


def is_in_range(_auction: int, bid: Bid) -> bool:
    """Return whether the price is above a million and below 50 million euros."""
    return bid.price in CENTS_IN_RANGE


def classified(bid: Bid) -> ClassifiedBid:
    """Return a bid with the time of its day."""
    hour = datetime.fromtimestamp(bid.date_time / 1_000, UTC).hour
    time = "dayTime" if hour in DAY else "nightTime" if hour in NIGHT else "otherTime"
    euros = bid.price * 908 / 1_000
    return ClassifiedBid(bid.auction, bid.bidder, euros, time, bid.date_time, bid.extra, bid.extra.count("c"))


@dataclass(frozen=True, slots=True)
class ChannelBid:
    """A bid with the id of its channel."""

    auction: int
    bidder: int
    price: int
    channel: str
    channel_id: str


def q21(builder: TopologyBuilder) -> None:
    """Add the id of the channel: of a known one, or from the URL; leave out bids without."""
    bids(builder).flat_map_values(with_channel_id).to("q21")


def with_channel_id(bid: Bid) -> list[ChannelBid]:
    """Return the bid with the id of its channel, if it has one."""
    parameter = _CHANNEL_ID.search(bid.url)
    found = CHANNEL_IDS.get(bid.channel.lower(), parameter[1] if parameter else None)
    return [] if found is None else [ChannelBid(bid.auction, bid.bidder, bid.price, bid.channel, found)]


@dataclass(frozen=True, slots=True)
class BidFolders:
    """A bid with the first three folders of its URL."""

    auction: int
    bidder: int
    price: int
    channel: str
    dir1: str
    dir2: str
    dir3: str


def q22(builder: TopologyBuilder) -> None:
    """Add the first three folders of the URL."""
    bids(builder).map_values(with_folders).to("q22")


def with_folders(bid: Bid) -> BidFolders:
    """Return the bid with the folders."""
    dir1, dir2, dir3 = bid.url.split("/")[3:6]
    return BidFolders(bid.auction, bid.bidder, bid.price, bid.channel, dir1, dir2, dir3)
