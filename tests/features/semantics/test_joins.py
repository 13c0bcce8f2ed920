"""Joins of streams and tables."""

from pytest_bdd import given, parsers, scenarios

from eddyline.testing import milliseconds
from tests.conformance.recorded import TOPOLOGIES
from tests.features.recording import RecordedFlow
from tests.features.semantics.joins_with_conditions import ALL_BIDS, PAID_INVOICES, VALID_BIDS

scenarios(
    "semantics/foreign_key_join.feature",
    "semantics/global_table_join.feature",
    "semantics/stream_stream_join.feature",
    "semantics/stream_stream_join_conditions.feature",
    "semantics/stream_table_join.feature",
    "semantics/table_table_join.feature",
    "semantics/versioned_table_join.feature",
)


@given("clicks are left-joined with the searches of the same user within 1 s")
def stream_stream_left_join(flow: RecordedFlow) -> None:
    flow.use("clickstream")


@given("invoices are left-joined within 10 s with transfers that are high enough")
def stream_stream_join_with_condition(flow: RecordedFlow) -> None:
    flow.use(PAID_INVOICES)


@given("auctions are joined with the bids that are made until they expire")
def stream_stream_join_until(flow: RecordedFlow) -> None:
    flow.use(VALID_BIDS)


@given("auctions are joined with all their bids")
def stream_stream_join_without_window(flow: RecordedFlow) -> None:
    flow.use(ALL_BIDS)


@given("ticks are joined with the table of the users' last actions")
def stream_table_join(flow: RecordedFlow) -> None:
    flow.use("fb-notifications")


@given("the counts of actions are left-joined with the table of solved captchas")
def table_table_left_join(flow: RecordedFlow) -> None:
    flow.use("captcha")


@given("the counts of actions are left-joined with the global table of solved captchas")
def stream_global_table_left_join(flow: RecordedFlow) -> None:
    flow.use("captcha", kind="global")


@given(parsers.parse("the threshold is {actions:d} actions"))
def threshold(flow: RecordedFlow, actions: int) -> None:
    flow.set(threshold=actions)


@given("orders are joined with their customers")
def foreign_key_inner_join(flow: RecordedFlow) -> None:
    flow.use(TOPOLOGIES["joins"], kind="fk-inner")


@given("orders are left-joined with their customers")
def foreign_key_left_join(flow: RecordedFlow) -> None:
    flow.use(TOPOLOGIES["joins"], kind="fk-left")


@given("payments are joined with the versions of the exchange rates")
def stream_versioned_table_join(flow: RecordedFlow) -> None:
    flow.use(TOPOLOGIES["versioned-tables"], kind="stream-inner")


@given(parsers.parse("the table keeps a history of {duration}"))
def history_retention(flow: RecordedFlow, duration: str) -> None:
    flow.set(history_retention_ms=milliseconds(duration))
