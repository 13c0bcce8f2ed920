"""The events of an online auction; the standard library only. All times are ms since the epoch, prices are cents."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody has registered, to sell or to bid."""

    id: int
    name: str
    email_address: str
    credit_card: str
    city: str
    state: str
    date_time: int
    extra: str


@dataclass(frozen=True, slots=True)
class Auction:
    """A seller has opened an auction, which takes bids until it expires."""

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


@dataclass(frozen=True, slots=True)
class Bid:
    """Somebody bids a price at an auction."""

    auction: int
    bidder: int
    price: int
    channel: str
    url: str
    date_time: int
    extra: str
