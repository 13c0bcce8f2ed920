"""A service of three flows of a shop, in a process of its own."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from pytest_bdd import given, parsers, scenarios, then, when

from tests.fixtures.commands import Commands, served_address

scenarios("operating/service.feature")

_TIMEOUT_S = 240.0
_FLOWS = """
import json
from pathlib import Path
from eddyline import Flow, Service, TopologyBuilder

def billing(builder: TopologyBuilder) -> None:
    builder.stream("orders", key=str, value=str).map_values(price_of).to("invoices")

def price_of(article: str) -> int:
    price = Path(article)
    if not price.exists():
        raise LookupError(f"{article} has no price")
    return int(price.read_text())

def revenue(builder: TopologyBuilder) -> None:
    invoices = builder.stream("invoices", key=str, value=int).group_by(lambda _customer, _price: "shop", key=str, name="by-shop")
    invoices.aggregate(int, lambda price, total: price + total, store="total").to_stream().to("revenue")

def delivery(builder: TopologyBuilder) -> None:
    builder.stream("orders", key=str, value=str).to("parcels")

FLOWS = (Flow("billing", "Bills.", billing), Flow("revenue", "Adds up.", revenue), Flow("delivery", "Ships.", delivery))
SERVICE = Service("shop", flows=["revenue", "billing", "delivery"], settings={"num.partitions": 1})
"""


class Shop:
    """A shop in a folder."""

    def __init__(self, folder: Path, commands: Commands, engine: str) -> None:
        self._folder, self._commands, self._engine = folder, commands, engine
        self._process = "service-0"
        self.address = ""
        (folder / "shop_flows.py").write_text(_FLOWS)
        self._orders = folder / "data/topics/orders/partition-0.jsonl"
        self._orders.parent.mkdir(parents=True)
        self._orders.touch()

    def start(self, *words: str) -> None:
        """Run the service until it serves."""
        self._process = f"service-{int(self._process[-1]) + 1}"
        options = ("--flows", "shop_flows", "--engine", self._engine, "--port", "0", "--set", "trigger.interval.ms=100")
        master = ("--master", "local[1]") if self._engine == "spark" else ()
        self._commands.start(self._process, "up", "shop", *options, *master, *words)
        self.until(lambda: served_address(self.log()) is not None)
        self.address = served_address(self.log()) or ""

    def stop(self) -> None:
        assert self._commands.stop(self._process, _TIMEOUT_S) == 0

    def log(self) -> list[str]:
        return self._commands.err(self._process)

    def order(self, article: str, customer: str) -> None:
        with self._orders.open("a") as file:
            file.write(json.dumps({"key": customer, "value": article, "timestamp": 1}) + "\n")

    def price(self, article: str, price: str) -> None:
        (self._folder / article).write_text(price)

    def records(self, topic: str) -> list[dict[str, Any]]:
        files = sorted((self._folder / "data/topics" / topic).glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def status(self, flow: str) -> Any:
        return httpx.get(f"{self.address}/status", params={"flow": flow}).raise_for_status().json()

    def health(self) -> httpx.Response:
        return httpx.get(f"{self.address}/health/ready")

    def until(self, fact: Callable[[], bool]) -> None:
        """Wait for a fact."""
        deadline = time.monotonic() + _TIMEOUT_S
        while not fact():
            assert self._commands.is_running(self._process), self.log()
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)


@pytest.fixture
def shop(tmp_path: Path, commands: Commands, engine: str, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.chdir(tmp_path)
    return Shop(tmp_path, commands, engine)


@given(parsers.re(r"an? (?P<article>\w+) costs (?P<price>\d+)"))
@when(parsers.re(r"an? (?P<article>\w+) costs (?P<price>\d+)"))
def article_costs(shop: Shop, article: str, price: str) -> None:
    shop.price(article, price)


@given("billing, revenue and delivery run as a service")
@when("the service runs again")
def service_runs(shop: Shop) -> None:
    shop.start()


@when("the service runs as version v2")
def service_runs_as_version(shop: Shop) -> None:
    shop.start("--version", "v2")


@when("the service is stopped")
def service_is_stopped(shop: Shop) -> None:
    shop.stop()


@when(parsers.re(r"(an? )?(?P<article>\w+?)(s are| is) ordered by (?P<customers>.+)"))
def ordered(shop: Shop, article: str, customers: str) -> None:
    for customer in customers.split(" and "):
        shop.order(article, customer)


@when(parsers.re(r"the revenue is (?P<total>\d+)"))
@then(parsers.re(r"the revenue(?P<version> of version v2)? is (?P<total>\d+)"))
def revenue_is(shop: Shop, total: str, version: str | None = None) -> None:
    topic = "revenue-v2" if version else "revenue"
    shop.until(lambda: [record["value"] for record in shop.records(topic)][-1:] == [int(total)])


@then(parsers.re(r"the (?P<topic>invoices|parcels)(?P<version> of version v2)? are for (?P<customers>.+)"))
def results_are_for(shop: Shop, topic: str, version: str | None, customers: str) -> None:
    expected = customers.split(" and ")
    name = f"{topic}-v2" if version else topic
    shop.until(lambda: len(shop.records(name)) >= len(expected))
    assert [record["key"] for record in shop.records(name)] == expected


@then(parsers.re(r'(?P<flow>\w+) is restarting because of "(?P<reason>.+)"'))
def flow_is_restarting(shop: Shop, flow: str, reason: str) -> None:
    shop.until(lambda: re.match(rf"restarting \(.+{reason}", shop.status(flow)["problem"] or "") is not None)


@then("only billing has been restarted")
def only_billing_has_been_restarted(shop: Shop) -> None:
    assert shop.status("billing")["restarts"] > 0
    assert shop.status("revenue")["restarts"] == shop.status("delivery")["restarts"] == 0


@then("the service is not healthy because of billing")
def service_is_not_healthy(shop: Shop) -> None:
    shop.until(lambda: shop.health().json().get("failing", {}).keys() == {"billing"})
    assert shop.health().status_code == 503


@then("the service is healthy")
def service_is_healthy(shop: Shop) -> None:
    shop.until(lambda: shop.health().status_code == 200)


@then("billing has stopped before revenue")
def billing_has_stopped_before_revenue(shop: Shop) -> None:
    stopped = [line["flow"] for line in map(json.loads, shop.log()) if line["event"] == "stopped"]
    assert stopped.index("billing") < stopped.index("revenue")
    assert sorted(stopped) == ["billing", "delivery", "revenue"]
