"""Calls of a processor at the ticks of a clock."""

from pytest_bdd import given, parsers, scenarios, then

from eddyline.testing import Scenario, milliseconds
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("semantics/punctuation.feature")


@given(parsers.parse("a processor is scheduled every {interval} of stream time"))
def scheduled_by_stream_time(flow: RecordedFlow, interval: str) -> None:
    flow.use("product-counter", punctuation="stream", interval_ms=milliseconds(interval))


@given(parsers.parse("a processor is scheduled every {interval} of wall-clock time"))
def scheduled_by_wall_clock_time(flow: RecordedFlow, interval: str) -> None:
    flow.use("product-counter", punctuation="wall", interval_ms=milliseconds(interval))


@then("the processor is called at")
def processor_is_called_at(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("product-counts", like=datatable) == datatable
