"""One server for the tests that only read."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import httpx
import pytest

from eddyline import Window
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.server import QueryServer
from eddyline.application.runtime.store_rows import StoreRow
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.types import UNKNOWN
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import MemoryStateQueries


@dataclass(frozen=True)
class Stock:
    on_hand: int
    unit_price: Decimal


def example_queries() -> MemoryStateQueries:
    queries = MemoryStateQueries()
    rows = [StoreRow(f"item-{n:02}", Stock(n, Decimal("1.50")), None, 1_000 + n) for n in range(12)]
    odd = [StoreRow("", Stock(0, Decimal(0)), None, 1), StoreRow("a/b?c", Stock(1, Decimal(1)), None, 2)]
    queries.add("inventory", StoreKind.KEY_VALUE, (str, Stock), [*odd, *rows])
    windows = [StoreRow("IBM", float(start), Window(start, start + 10), start) for start in (0, 10, 20)]
    queries.add("stats", StoreKind.WINDOW, (str, float), windows)
    sessions = [StoreRow(5, 2, Window(0, 4), 4), StoreRow(5, 1, Window(30, 31), 31)]
    queries.add("visits", StoreKind.SESSION, (int, int), sessions)
    versions = [StoreRow(date(2024, 1, 1), "old", None, 10, 20), StoreRow(date(2024, 1, 1), "new", None, 20)]
    queries.add("prices", StoreKind.VERSIONED, (date, str), versions)
    pairs = [StoreRow(("eu", n), {"n": n}, None, n) for n in range(3)]
    queries.add("pairs", StoreKind.KEY_VALUE, (tuple[str, int], UNKNOWN), pairs)
    return queries


@pytest.fixture(scope="session")
def queries() -> MemoryStateQueries:
    return example_queries()


@pytest.fixture(scope="session")
def server(queries: MemoryStateQueries) -> Iterator[QueryServer]:
    with serving(queries, ServerOptions(port=0, rate_limit=0)) as running:
        yield running


@pytest.fixture(scope="session")
def client(server: QueryServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False) as opened:
        yield opened
