"""One server for the tests that only read."""

from collections.abc import Iterator

import httpx
import pytest

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.web.operations import Operations
from eddyline.adapters.web.options import ServerOptions
from eddyline.adapters.web.server import QueryServer
from eddyline.application.operations.dead_letter_service import DeadLetterService
from tests.fixtures.query_servers import serving
from tests.fixtures.state_queries import MemoryStateQueries, example_queries
from tests.operations.dead_letters import DeadLetterSetup


@pytest.fixture(scope="session")
def queries() -> MemoryStateQueries:
    return example_queries()


@pytest.fixture(scope="session")
def operations() -> Operations:
    """Operations on twenty dead letters."""
    letters = DeadLetterSetup()
    for number in range(20):
        letters.add_letter(number, to_partition=number % 2)
    return Operations([DeadLetterService(letters.log, MemoryEventSink(letters.log), MemoryClock(), "app")])


@pytest.fixture(scope="session")
def server(queries: MemoryStateQueries, operations: Operations) -> Iterator[QueryServer]:
    with serving(queries, ServerOptions(port=0, rate_limit=0), operations=operations) as running:
        yield running


@pytest.fixture(scope="session")
def client(server: QueryServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, trust_env=False) as opened:
        yield opened
