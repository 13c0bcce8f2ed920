"""The winning bid of an auction, as a test of a user's flow would describe it."""

from nexmark.events import Auction, Bid
from nexmark.flows import FLOWS

from eddyline.testing import MemoryEngine


def auction(expires: int, category: int = 10) -> Auction:
    return Auction(1, "lamp", "old", 1, 2, 1_000, expires, 7, category, "")


def bid(price: int, time: int) -> Bid:
    return Bid(1, 9, price, "Google", "https://www.nexmark.com/a/b/c/item.htm", time, "")


def winning_prices(*bids: Bid, expires: int = 5_000) -> list[int]:
    (flow,) = [flow for flow in FLOWS if flow.name == "nexmark-q9"]
    engine = MemoryEngine(flow.topology(), emit="every-update")
    engine.pipe("auction", 1, auction(expires), timestamp=1_000)
    for each in bids:
        engine.pipe("bid", 1, each, timestamp=each.date_time)
    return [output.value.price for output in engine.outputs("q9")]


def test_a_higher_bid_wins() -> None:
    assert winning_prices(bid(5, 2_000), bid(9, 3_000)) == [5, 9]


def test_a_bid_before_the_auction_or_after_its_end_does_not_count() -> None:
    assert winning_prices(bid(5, 999), bid(9, 5_001), bid(7, 5_000)) == [7]
