"""Flows of one stream-stream join each, with a condition or without a window of fixed length."""

from dataclasses import dataclass

from eddyline import Flow, TopologyBuilder, join_windows, unlimited_join_windows


@dataclass(frozen=True)
class Invoice:
    amount: int


@dataclass(frozen=True)
class Transfer:
    amount: int


@dataclass(frozen=True)
class PaidInvoice:
    total: int
    paid: int | None


@dataclass(frozen=True)
class Auction:
    expires: int


@dataclass(frozen=True)
class Bid:
    price: int


def _paid(invoice: Invoice, transfer: Transfer | None) -> PaidInvoice:
    return PaidInvoice(invoice.amount, None if transfer is None else transfer.amount)


def _is_enough(invoice: Invoice, transfer: Transfer) -> bool:
    return transfer.amount >= invoice.amount


def _bid(_auction: Auction, bid: Bid) -> Bid:
    return bid


def _expiry(auction: Auction) -> int:
    return auction.expires


def _paid_invoices(builder: TopologyBuilder) -> None:
    invoices = builder.stream("invoices", key=str, value=Invoice)
    transfers = builder.stream("transfers", key=str, value=Transfer)
    windows = join_windows(before=0, after="10s", grace=0)
    invoices.left_join(transfers, _paid, windows=windows, condition=_is_enough).to("paid-invoices")


def _valid_bids(builder: TopologyBuilder) -> None:
    auctions = builder.stream("auctions", key=str, value=Auction)
    bids = builder.stream("bids", key=str, value=Bid)
    auctions.join(bids, _bid, windows=join_windows(before=0, until=_expiry, grace="1s")).to("valid-bids")


def _all_bids(builder: TopologyBuilder) -> None:
    auctions = builder.stream("auctions", key=str, value=Auction)
    bids = builder.stream("bids", key=str, value=Bid)
    auctions.join(bids, _bid, windows=unlimited_join_windows()).to("all-bids")


PAID_INVOICES = Flow("paid-invoices", "Joins invoices with transfers that are high enough.", _paid_invoices)
VALID_BIDS = Flow("valid-bids", "Joins auctions with the bids that are made until they expire.", _valid_bids)
ALL_BIDS = Flow("all-bids", "Joins auctions with all their bids.", _all_bids)
