"""Queries that aggregate bids without windows: q15 to q19."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from eddyline import TopologyBuilder
from eddyline import aggregations as agg
from nexmark.events import Bid
from nexmark.queries.sources import bidder_of, bids, day_of, price_of

Predicate = Callable[[Bid], bool]
MEDIUM = range(10_000, 1_000_000)
"""The prices of the middle rank, in cents."""


def is_low(bid: Bid) -> bool:
    """Return whether the price is of the lowest rank."""
    return bid.price < MEDIUM.start


def is_medium(bid: Bid) -> bool:
    """Return whether the price is of the middle rank."""
    return bid.price in MEDIUM


def is_high(bid: Bid) -> bool:
    """Return whether the price is of the highest rank."""
    return bid.price >= MEDIUM.stop


def auction_of(bid: Bid) -> int:
    """Return the auction."""
    return bid.auction


RANKS: dict[str, Predicate] = {"rank1": is_low, "rank2": is_medium, "rank3": is_high}


def by_rank(name: str, aggregation: agg.Aggregation[Bid, Any]) -> dict[str, agg.Aggregation[Bid, Any]]:
    """Return an aggregation of all bids and of those of each rank, by the names of their fields."""
    return {f"total_{name}": aggregation, **{f"{rank}_{name}": aggregation.where(test) for rank, test in RANKS.items()}}


@dataclass(frozen=True, slots=True)
class Statistics:
    """Numbers of bids, bidders and auctions, in all and by the rank of the price."""

    total_bids: int
    rank1_bids: int
    rank2_bids: int
    rank3_bids: int
    total_bidders: int
    rank1_bidders: int
    rank2_bidders: int
    rank3_bidders: int
    total_auctions: int
    rank1_auctions: int
    rank2_auctions: int
    rank3_auctions: int


STATISTICS: dict[str, agg.Aggregation[Bid, Any]] = {
    **by_rank("bids", agg.count()),
    **by_rank("bidders", agg.count_distinct(bidder_of)),
    **by_rank("auctions", agg.count_distinct(auction_of)),
}


@dataclass(frozen=True, slots=True)
class DayStatistics(Statistics):
    """The statistics of a day."""

    day: str


def q15(builder: TopologyBuilder) -> None:
    """Count the bids, the bidders and the auctions of each day."""
    by_day = bids(builder).group_by(lambda _auction, bid: day_of(bid), key=str, name="q15-by-day")
    statistics = by_day.aggregate(agg.combine(Statistics, **STATISTICS), store="q15-statistics")
    statistics.to_stream().map_values(day_statistics, with_key=True).to("q15")


def day_statistics(day: str, statistics: Statistics) -> DayStatistics:
    """Return the row of a day."""
    return DayStatistics(**asdict(statistics), day=day)


@dataclass(frozen=True, slots=True)
class LatestStatistics(Statistics):
    """Statistics, and the time of day of the latest bid."""

    minute: str


@dataclass(frozen=True, slots=True)
class ChannelStatistics(LatestStatistics):
    """The statistics of a channel on a day."""

    channel: str
    day: str


def q16(builder: TopologyBuilder) -> None:
    """Count the bids, the bidders and the auctions of each channel and day, and find the time of day of the latest bid."""
    by_channel = bids(builder).group_by(channel_and_day, name="q16-by-channel-and-day")
    latest = agg.combine(LatestStatistics, **STATISTICS, minute=agg.max(minute_of))
    statistics = by_channel.aggregate(latest, store="q16-statistics")
    statistics.to_stream().map_values(channel_statistics, with_key=True).to("q16")


def channel_statistics(channel_day: tuple[str, str], statistics: LatestStatistics) -> ChannelStatistics:
    """Return the row of a channel and day."""
    channel, day = channel_day
    return ChannelStatistics(**asdict(statistics), channel=channel, day=day)


def channel_and_day(_auction: int, bid: Bid) -> tuple[str, str]:
    """Return the channel and the day."""
    return bid.channel, day_of(bid)


def minute_of(bid: Bid) -> str:
    """Return the time of day in UTC, such as 08:30."""
    return datetime.fromtimestamp(bid.date_time / 1_000, UTC).strftime("%H:%M")


@dataclass(frozen=True, slots=True)
class Prices:
    """Numbers of bids by rank, and their prices in cents."""

    total_bids: int
    rank1_bids: int
    rank2_bids: int
    rank3_bids: int
    min_price: int
    max_price: int
    sum_price: int


@dataclass(frozen=True, slots=True)
class AuctionPrices(Prices):
    """The prices of an auction on a day, and their mean in whole cents."""

    avg_price: int
    auction: int
    day: str


def q17(builder: TopologyBuilder) -> None:
    """Count the bids of each auction and day, and compute the least, the highest, the mean and the sum of their prices."""
    prices = agg.combine(
        Prices,
        **by_rank("bids", agg.count()),
        min_price=agg.min(price_of),
        max_price=agg.max(price_of),
        sum_price=agg.sum(price_of),
    )
    by_auction = bids(builder).group_by(auction_and_day, name="q17-by-auction-and-day")
    by_auction.aggregate(prices, store="q17-prices").to_stream().map_values(auction_prices, with_key=True).to("q17")


def auction_prices(auction_day: tuple[int, str], prices: Prices) -> AuctionPrices:
    """Return the row of an auction and day."""
    auction, day = auction_day
    mean = prices.sum_price // prices.total_bids
    return AuctionPrices(**asdict(prices), avg_price=mean, auction=auction, day=day)


def auction_and_day(auction: int, bid: Bid) -> tuple[int, str]:
    """Return the auction and the day."""
    return auction, day_of(bid)


def q18(builder: TopologyBuilder) -> None:
    """Find the last bid of each bidder at each auction."""
    by_bidder = bids(builder).group_by(bidder_and_auction, name="q18-by-bidder-and-auction")
    by_bidder.aggregate(agg.max_by(lambda bid: bid.date_time), store="q18-last").to_stream().to("q18")


def bidder_and_auction(auction: int, bid: Bid) -> tuple[int, int]:
    """Return the bidder and the auction."""
    return bid.bidder, auction


@dataclass(frozen=True, slots=True)
class RankedBid(Bid):
    """A bid and its place among those of its auction."""

    rank_number: int


def q19(builder: TopologyBuilder) -> None:
    """Find the ten highest bids of each auction, of equal ones the earlier first."""
    highest = bids(builder).group_by_key().aggregate(agg.top_n(10, by=price_then_earliest), store="q19-highest")
    highest.to_stream().flat_map(ranked).to("q19")


def price_then_earliest(bid: Bid) -> tuple[int, int]:
    """Return what bids are compared by."""
    return bid.price, -bid.date_time


def ranked(auction: int, highest: list[Bid]) -> Iterator[tuple[tuple[int, int], RankedBid]]:
    """Generate the bids by auction and place."""
    for place, bid in enumerate(highest, start=1):
        yield (auction, place), RankedBid(**asdict(bid), rank_number=place)
