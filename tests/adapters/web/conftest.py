"""One server for the tests that only read."""

from collections.abc import Iterator

import httpx
import pytest

from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.server import QueryServer
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import MemoryStateQueries, example_queries


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
