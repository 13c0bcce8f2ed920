"""The sample flows skip no null in silence: what they cannot use is counted as dropped, with a reason."""

from typing import Any

import pytest

from eddyline.application.samples.catalogue import find_flow
from eddyline.domain.operations import Service
from eddyline.domain.payments import Payment
from eddyline.domain.retail import Purchase
from eddyline.domain.sales import Sale
from eddyline.domain.security import Connection
from eddyline.testing import MemoryEngine


@pytest.mark.parametrize(
    ("flow", "settings", "topic", "record", "reason"),
    [
        ("cdc-table", {}, "purchases", ("p1", None), "null-value"),
        ("device-maintenance", {}, "services", (None, Service()), "null-key"),
        ("device-maintenance", {}, "services", ("pump", None), "null-value"),
        ("beaconing", {}, "connections", (None, Connection("a.example", 5)), "null-key"),
        ("beaconing", {}, "connections", ("host", None), "invalid-timestamp"),
        ("daily-range", {}, "prices", ("IBM", None), "null-value"),
        ("stock-stats", {}, "trades", ("IBM", None), "null-value"),
        ("top-movers", {"kind": "ticks"}, "daily-prices", ("IBM", None), "null-value"),
        ("inventory", {}, "items", ("i1", None), "no-store"),
        ("popular-products", {}, "page-views", ("ann", None), "no-page"),
        ("product-counter", {}, "product-views", (None, {}), "null-key"),
        ("fb-notifications", {"kind": "stateless"}, "user-actions", ("ann", None), "null-value"),
        ("word-count", {}, "text-lines", (None, None), "null-value"),
        ("hotel-reservations", {}, "bookings", ("ann", None), "invalid-timestamp"),
        ("clickstream", {}, "clicks", ("ann", None), "null-value"),
        ("log-triage", {}, "logs", ("web", None), "null-value"),
        ("search-results", {}, "clicks", ("ann", None), "null-key"),
        ("search-results", {}, "searches", ("ann", None), "null-value"),
        ("user-360", {}, "clicks", ("ann", None), "null-value"),
        ("shoe-store", {}, "shoe-transactions", ("north", None), "null-value"),
        ("weekly-products", {}, "orders", ("o1", None), "null-value"),
        ("payment-approval", {}, "payments", ("card", None), "null-value"),
        ("payment-approval", {}, "payments", (None, Payment("p1", 5.0, "DE")), "null-key"),
        ("large-sales", {}, "sales", ("s1", None), "null-value"),
        ("large-sales", {}, "sales", (None, Sale("n1", "north", 20_000.0)), "null-key"),
        ("load-percentiles", {}, "service-loads", ("host", None), "null-value"),
        ("captcha", {}, "actions", ("browser", None), "null-value"),
    ],
)
def test_a_null_that_a_flow_cannot_use_is_counted_with_its_reason(
    flow: str, settings: dict[str, Any], topic: str, record: tuple[Any, Any], reason: str
) -> None:
    engine = MemoryEngine(find_flow(flow).topology(**settings))
    engine.pipe(topic, *record, 1_000)
    assert [dropped for _, dropped in engine.drops] == [reason]
    assert engine.dropped[0].source is not None
    assert engine.outputs() == []


def test_a_purchase_is_not_dropped() -> None:
    engine = MemoryEngine(find_flow("cdc-table").topology())
    engine.pipe("purchases", "p1", Purchase("c1", "lamp", 5.0), 1_000)
    assert (len(engine.outputs()), dict(engine.drops)) == (1, {})


def test_the_tombstone_that_follows_a_deletion_is_not_a_drop() -> None:
    engine = MemoryEngine(find_flow("cdc-table").topology())
    engine.pipe("customer-changes", "c1", None, 1_000)
    assert (engine.outputs(), dict(engine.drops)) == ([], {})
