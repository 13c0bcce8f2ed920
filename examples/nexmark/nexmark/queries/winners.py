"""Queries about the bids that win auctions: q4, q6 and q9."""

from collections.abc import Iterator
from dataclasses import dataclass

from eddyline import Table, TopologyBuilder, join_windows
from eddyline import aggregations as agg
from nexmark.events import Auction, Bid
from nexmark.queries.sources import GRACE_MS, auctions, bids

WINNERS = 11
"""How many winners of a seller a mean is computed of."""


@dataclass(frozen=True, slots=True)
class WinningBid:
    """An auction and the bid that wins it so far."""

    auction: Auction
    bid: Bid


def winning_bids(builder: TopologyBuilder, store: str, grace_ms: int) -> Table[int, WinningBid]:
    """Return the winning bid of each auction: the highest that was made before it expired, of equal ones the earliest."""
    open_auctions = join_windows(before=0, until=expiry_of, grace=grace_ms)
    valid = auctions(builder).join(bids(builder), WinningBid, windows=open_auctions, name=f"{store}-join")
    return valid.group_by_key().aggregate(agg.max_by(rank_of), store=store)


def expiry_of(auction: Auction) -> int:
    """Return when an auction ends."""
    return auction.expires


def rank_of(winner: WinningBid) -> tuple[int, int]:
    """Return what bids are compared by: the price, then how early they are."""
    return winner.bid.price, -winner.bid.date_time


@dataclass(frozen=True, slots=True)
class CategoryPrice:
    """The mean price of the winning bids of a category, in whole cents."""

    id: int
    final: int


def q4(builder: TopologyBuilder, *, grace_ms: int = GRACE_MS) -> None:
    """Compute the mean price of the winning bids of each category."""
    prices = winning_bids(builder, "q4-winners", grace_ms).group_by(category_and_price, name="q4-by-category")
    means = prices.aggregate(agg.avg(int), store="q4-means")
    means.to_stream().map_values(category_price, with_key=True).to("q4")


def category_and_price(_auction: int, winner: WinningBid) -> tuple[int, int]:
    """Return the category and the price of a winner."""
    return winner.auction.category, winner.bid.price


def category_price(category: int, mean: float) -> CategoryPrice:
    """Return the row of a category."""
    return CategoryPrice(category, int(mean))


@dataclass(frozen=True, slots=True)
class Sale:
    """A winning bid, without what only the bidder and the buyer need to know."""

    id: int
    seller: int
    price: int
    date_time: int


@dataclass(frozen=True, slots=True)
class SellerPrice:
    """The mean price of the last winners of a seller up to this auction, in whole cents."""

    id: int
    seller: int
    avg_price: int


def q6(builder: TopologyBuilder, *, grace_ms: int = GRACE_MS) -> None:
    """Compute, for each auction with a winner, the mean price of this and the ten winners before it of the same seller."""
    sales = winning_bids(builder, "q6-winners", grace_ms).group_by(sale_by_seller, name="q6-by-seller")
    in_order = sales.aggregate(agg.collect_list(by=lambda sale: (sale.date_time, sale.id)), store="q6-sales")
    in_order.to_stream().flat_map(moving_means).to("q6")


def sale_by_seller(auction: int, winner: WinningBid) -> tuple[int, Sale]:
    """Return the seller and the sale."""
    return winner.auction.seller, Sale(auction, winner.auction.seller, winner.bid.price, winner.bid.date_time)


def moving_means(_seller: int, sales: list[Sale]) -> Iterator[tuple[int, SellerPrice]]:
    """Generate the row of each sale of a seller by the id of its auction."""
    for end, sale in enumerate(sales, start=1):
        prices = [each.price for each in sales[max(0, end - WINNERS) : end]]
        yield sale.id, SellerPrice(sale.id, sale.seller, sum(prices) // len(prices))


@dataclass(frozen=True, slots=True)
class AuctionWithWinner:
    """An auction with its winning bid."""

    id: int
    item_name: str
    description: str
    initial_bid: int
    reserve: int
    date_time: int
    expires: int
    seller: int
    category: int
    extra: str
    auction: int
    bidder: int
    price: int
    bid_date_time: int
    bid_extra: str


def q9(builder: TopologyBuilder, *, grace_ms: int = GRACE_MS) -> None:
    """Find the winning bid of each auction."""
    winning_bids(builder, "q9-winners", grace_ms).to_stream().map_values(with_winner).to("q9")


def with_winner(winner: WinningBid) -> AuctionWithWinner:
    """Return the row of an auction."""
    auction, bid = winner.auction, winner.bid
    return AuctionWithWinner(
        auction.id,
        auction.item_name,
        auction.description,
        auction.initial_bid,
        auction.reserve,
        auction.date_time,
        auction.expires,
        auction.seller,
        auction.category,
        auction.extra,
        bid.auction,
        bid.bidder,
        bid.price,
        bid.date_time,
        bid.extra,
    )
