"""Changes of tables: aggregated, or suppressed for some time."""

from pytest_bdd import given, parsers, scenarios

from eddyline.testing import milliseconds
from tests.conformance.recorded import TOPOLOGIES
from tests.features.recording import RecordedFlow
from tests.features.semantics.carts import CARTS_BY_SIZE

scenarios("semantics/suppress_until_time_limit.feature", "semantics/table_aggregation.feature")


@given(parsers.parse("the top {n:d} movers of all shares are aggregated"))
def aggregated(flow: RecordedFlow, n: int) -> None:
    flow.use("top-movers", n=n)


@given(parsers.parse("the top {n:d} movers of each sector are aggregated"))
def aggregated_by_sector(flow: RecordedFlow, n: int) -> None:
    flow.use("top-movers", n=n, group_by="sector")


@given(parsers.parse("the counts of a table are suppressed for {limit}"))
def suppressed(flow: RecordedFlow, limit: str) -> None:
    flow.use(TOPOLOGIES["suppress"], window="none", limit_ms=milliseconds(limit))


@given(parsers.parse("the counts of a table are suppressed for {limit} in a buffer of {records:d} records"))
def suppressed_in_a_small_buffer(flow: RecordedFlow, limit: str, records: int) -> None:
    flow.use(TOPOLOGIES["suppress"], window="none", limit_ms=milliseconds(limit), max_records=records)


@given("the items of each cart are collected in a list that the adder changes, and carts are counted by size")
def carts_by_size(flow: RecordedFlow) -> None:
    flow.use(CARTS_BY_SIZE)
