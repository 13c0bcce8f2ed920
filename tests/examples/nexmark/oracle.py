"""The final rows of each query, computed in plain Python from all events at once."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import parse_qs, urlsplit

from nexmark.events import Auction, Bid, Person
from nexmark.generator import Arrival

Rows: TypeAlias = Iterable[Mapping[str, Any]]


class History(NamedTuple):
    """All persons, auctions and bids; the bids with their times of arrival, in ms since the epoch."""

    persons: Sequence[Person]
    auctions: Sequence[Auction]
    bids: Sequence[Bid]
    arrivals: Sequence[tuple[Bid, int]]
    side: Mapping[int, str]

    @classmethod
    def of(cls, events: Sequence[Arrival], side: Mapping[int, str]) -> "History":
        by_type: dict[type, list[Any]] = defaultdict(list)
        for event in events:
            by_type[type(event.value)].append(event.value)
        bids = [(event.value, event.arrival) for event in events if isinstance(event.value, Bid)]
        return cls(by_type[Person], by_type[Auction], by_type[Bid], bids, side)


def q0(history: History) -> Rows:
    return (_row(bid, "auction bidder price date_time extra") for bid in history.bids)


def q1(history: History) -> Rows:
    return ({**row, "price": round(row["price"] * 0.908, 3)} for row in q0(history))


def q2(history: History) -> Rows:
    return (_row(bid, "auction price") for bid in history.bids if not bid.auction % 123)


def q3(history: History) -> Rows:
    for auction in history.auctions:
        for person in history.persons:
            if auction.category == 10 and person.id == auction.seller and person.state in {"OR", "ID", "CA"}:
                yield {"name": person.name, "city": person.city, "state": person.state, "id": auction.id}


def q4(history: History) -> Rows:
    prices = _grouped(_winners(history), lambda winner: winner[0].category)
    for category, winners in prices.items():
        yield {"id": category, "final": sum(bid.price for _, bid in winners) // len(winners)}


def q5(history: History) -> Rows:
    counts: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for bid in history.bids:
        newest = bid.date_time // 2_000 * 2_000
        for start in range(newest - 8_000, newest + 1, 2_000):
            counts[start][bid.auction] += 1
    for start, auctions in counts.items():
        for auction, count in auctions.items():
            if count == max(auctions.values()):
                yield {"auction": auction, "num": count, "starttime": start, "endtime": start + 10_000}


def q6(history: History) -> Rows:
    for seller, winners in _grouped(_winners(history), lambda winner: winner[0].seller).items():
        winners.sort(key=lambda winner: (winner[1].date_time, winner[0].id))
        for number, (auction, _) in enumerate(winners):
            prices = [bid.price for _, bid in winners[max(0, number - 10) : number + 1]]
            yield {"id": auction.id, "seller": seller, "avg_price": sum(prices) // len(prices)}


def q7(history: History) -> Rows:
    for bids in _grouped(history.bids, lambda bid: bid.date_time // 10_000).values():
        highest = max(bid.price for bid in bids)
        yield from (_row(bid, "auction bidder price date_time extra") for bid in bids if bid.price == highest)


def q8(history: History) -> Rows:
    sold = {(auction.seller, auction.date_time // 10_000) for auction in history.auctions}
    for person in history.persons:
        window = person.date_time // 10_000
        if (person.id, window) in sold:
            yield {"id": person.id, "name": person.name, "starttime": window * 10_000}


def q9(history: History) -> Rows:
    for auction, bid in _winners(history):
        bid_row = {"auction": bid.auction, "bidder": bid.bidder, "price": bid.price}
        yield {**_row(auction), **bid_row, "bid_date_time": bid.date_time, "bid_extra": bid.extra}


def q11(history: History) -> Rows:
    for bidder, bids in _grouped(history.bids, lambda bid: bid.bidder).items():
        times = sorted(bid.date_time for bid in bids)
        starts = [time for time, before in zip(times, [-(10**9), *times], strict=False) if time - before > 10_000]
        for start, following in zip(starts, [*starts[1:], 10**15], strict=True):
            session = [time for time in times if start <= time < following]
            yield {"bidder": bidder, "bid_count": len(session), "starttime": start, "endtime": session[-1] + 10_000}


def q12(history: History) -> Rows:
    windows = _grouped(history.arrivals, lambda arrived: (arrived[0].bidder, arrived[1] // 10_000 * 10_000))
    for (bidder, start), bids in windows.items():
        yield {"bidder": bidder, "bid_count": len(bids), "starttime": start, "endtime": start + 10_000}


def q13(history: History) -> Rows:
    for bid in history.bids:
        if bid.auction % 10_000 in history.side:
            yield {**_row(bid, "auction bidder price date_time"), "value": history.side[bid.auction % 10_000]}


def q14(history: History) -> Rows:
    times = ["nightTime"] * 7 + ["otherTime"] + ["dayTime"] * 11 + ["otherTime"] + ["nightTime"] * 4
    for row in q1(history):
        if 1_000_000 < row["price"] < 50_000_000:
            letters = list(row["extra"]).count("c")
            yield {**row, "bid_time_type": times[_utc(row["date_time"]).hour], "c_counts": letters}


def q15(history: History) -> Rows:
    for day, bids in _grouped(history.bids, _day).items():
        yield {"day": day, **_statistics(bids)}


def q16(history: History) -> Rows:
    for (channel, day), bids in _grouped(history.bids, lambda bid: (bid.channel, _day(bid))).items():
        latest = max(bid.date_time for bid in bids)
        yield {"channel": channel, "day": day, "minute": f"{_utc(latest):%H:%M}", **_statistics(bids)}


def q17(history: History) -> Rows:
    for (auction, day), bids in _grouped(history.bids, lambda bid: (bid.auction, _day(bid))).items():
        prices = [bid.price for bid in bids]
        counts = {name: count for name, count in _statistics(bids).items() if name.endswith("_bids")}
        means = {"avg_price": sum(prices) // len(prices), "sum_price": sum(prices)}
        yield {"auction": auction, "day": day, **counts, "min_price": min(prices), "max_price": max(prices), **means}


def q18(history: History) -> Rows:
    for bids in _grouped(history.bids, lambda bid: (bid.bidder, bid.auction)).values():
        yield _row(max(bids, key=lambda bid: bid.date_time))


def q19(history: History) -> Rows:
    for bids in _grouped(history.bids, lambda bid: bid.auction).values():
        bids.sort(key=lambda bid: (-bid.price, bid.date_time))
        yield from ({**_row(bid), "rank_number": rank} for rank, bid in enumerate(bids[:10], start=1))


def q20(history: History) -> Rows:
    for bid in history.bids:
        for auction in history.auctions:
            if auction.id == bid.auction and auction.category == 10:
                rest = _row(auction, "item_name description initial_bid reserve expires seller category")
                times = {"bid_date_time": bid.date_time, "auction_date_time": auction.date_time}
                extras = {"bid_extra": bid.extra, "auction_extra": auction.extra}
                yield {**_row(bid, "auction bidder price channel url"), **rest, **times, **extras}


def q21(history: History) -> Rows:
    for bid in history.bids:
        known = ["apple", "google", "facebook", "baidu"]
        channel = bid.channel.lower()
        found = str(known.index(channel)) if channel in known else parse_qs(urlsplit(bid.url).query).get("channel_id", [None])[0]
        if found is not None:
            yield {**_row(bid, "auction bidder price channel"), "channel_id": found}


def q22(history: History) -> Rows:
    for bid in history.bids:
        _, *folders, _ = urlsplit(bid.url).path.split("/")
        yield {**_row(bid, "auction bidder price channel"), **dict(zip(("dir1", "dir2", "dir3"), folders, strict=True))}


ORACLE: dict[str, Callable[[History], Rows]] = {
    each.__name__: each
    for each in (q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, q11, q12, q13, q14, q15, q16, q17, q18, q19, q20, q21, q22)
}


def _winners(history: History) -> Iterator[tuple[Auction, Bid]]:
    bids = _grouped(history.bids, lambda bid: bid.auction)
    for auction in history.auctions:
        valid = [bid for bid in bids.get(auction.id, ()) if auction.date_time <= bid.date_time <= auction.expires]
        if valid:
            yield auction, min(valid, key=lambda bid: (-bid.price, bid.date_time))


def _statistics(bids: Sequence[Bid]) -> dict[str, int]:
    ranks = {
        "total": list(bids),
        "rank1": [bid for bid in bids if bid.price < 10_000],
        "rank2": [bid for bid in bids if 10_000 <= bid.price < 1_000_000],
        "rank3": [bid for bid in bids if bid.price >= 1_000_000],
    }
    found = {}
    for rank, chosen in ranks.items():
        found[f"{rank}_bids"] = len(chosen)
        found[f"{rank}_bidders"] = len({bid.bidder for bid in chosen})
        found[f"{rank}_auctions"] = len({bid.auction for bid in chosen})
    return found


def _grouped(items: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def _row(item: Person | Auction | Bid, names: str = "") -> dict[str, Any]:
    return {name: getattr(item, name) for name in names.split() or type(item).__slots__}


def _day(bid: Bid) -> str:
    return f"{_utc(bid.date_time):%Y-%m-%d}"


def _utc(ms: int) -> datetime:
    return datetime.fromtimestamp(ms // 1_000, UTC)
