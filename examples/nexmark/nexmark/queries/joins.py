"""Queries that join: q3, q13 and q20."""

from dataclasses import dataclass

from eddyline import TopologyBuilder, unlimited_join_windows
from nexmark.events import Auction, Bid, Person
from nexmark.queries.sources import auctions, bids, persons

CATEGORY = 10
STATES = ("OR", "ID", "CA")


@dataclass(frozen=True, slots=True)
class LocalAuction:
    """An auction and where its seller lives."""

    name: str
    city: str
    state: str
    id: int


def q3(builder: TopologyBuilder) -> None:
    """Find the auctions of a category whose sellers live in some states."""
    sellers = persons(builder).filter(lambda _id, person: person.state in STATES).to_table(store="q3-sellers")
    chosen = auctions(builder).filter(is_chosen).to_table(store="q3-auctions")
    chosen.join(sellers, local_auction, foreign_key=seller_of, name="q3-join").to_stream().to("q3")


def is_chosen(_id: int, auction: Auction) -> bool:
    """Return whether an auction is of the chosen category."""
    return auction.category == CATEGORY


def seller_of(auction: Auction) -> int:
    """Return the seller."""
    return auction.seller


def local_auction(auction: Auction, seller: Person) -> LocalAuction:
    """Return where the seller of an auction lives."""
    return LocalAuction(seller.name, seller.city, seller.state, auction.id)


@dataclass(frozen=True, slots=True)
class BidWithValue:
    """A bid with the value of a fixed table."""

    auction: int
    bidder: int
    price: int
    date_time: int
    value: str


def q13(builder: TopologyBuilder) -> None:
    """Look up a value for each bid in a table that hardly changes."""
    side = builder.global_table("side_input", key=int, value=str)
    bids(builder).join(side, with_value, key_selector=lambda auction, _bid: auction % 10_000).to("q13")


def with_value(bid: Bid, found: str) -> BidWithValue:
    """Return a bid with the value."""
    return BidWithValue(bid.auction, bid.bidder, bid.price, bid.date_time, found)


@dataclass(frozen=True, slots=True)
class BidWithAuction:
    """A bid with its auction."""

    auction: int
    bidder: int
    price: int
    channel: str
    url: str
    bid_date_time: int
    bid_extra: str
    item_name: str
    description: str
    initial_bid: int
    reserve: int
    auction_date_time: int
    expires: int
    seller: int
    category: int
    auction_extra: str


def q20(builder: TopologyBuilder) -> None:
    """Add the auction to each bid at an auction of a category, however much later or earlier the bid is."""
    chosen = auctions(builder).filter(is_chosen)
    bids(builder).join(chosen, with_auction, windows=unlimited_join_windows(), name="q20-join").to("q20")


def with_auction(bid: Bid, auction: Auction) -> BidWithAuction:
    """Return a bid with its auction."""
    return BidWithAuction(
        bid.auction,
        bid.bidder,
        bid.price,
        bid.channel,
        bid.url,
        bid.date_time,
        bid.extra,
        auction.item_name,
        auction.description,
        auction.initial_bid,
        auction.reserve,
        auction.date_time,
        auction.expires,
        auction.seller,
        auction.category,
        auction.extra,
    )
