"""Windows of sources with an idle timeout."""

from collections.abc import Mapping

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.semantics.idle_flow import IDLE
from tests.features.tables import Table, rows

scenarios("semantics/idle_sources.feature")

KINDS: Mapping[str, str] = {
    "records are counted in windows of 60 s": "windows",
    "records are counted in sessions with a gap of 60 s": "sessions",
    "the counts in windows of 60 s are suppressed until they close": "suppress",
    "records are left-joined with those of topic 'others' within 10 s": "join",
    "records are counted by value in windows of 60 s": "repartition",
    "the final counts of windows of 60 s are added up by value in windows of 10 s": "twice",
    "a processor is called every 10 s of stream time": "ticks",
}


@given(parsers.parse("the idle timeout is {seconds:d} s"))
def idle_timeout(flow: RecordedFlow, seconds: int) -> None:
    flow.use(IDLE, timeout_s=seconds)


@given("there is no idle timeout")
def no_idle_timeout(flow: RecordedFlow) -> None:
    flow.set(timeout_s=0)


@given(parsers.re(f"(?P<what>{'|'.join(KINDS)})"))
def kind_of_flow(flow: RecordedFlow, what: str) -> None:
    flow.set(kind=KINDS[what])


@when("these records arrive")
def records_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("events", rows(datatable), constants={"value": "x"})


@when("these records arrive in topic 'others'")
def others_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("others", rows(datatable), constants={"value": "y"})


@then("these records are emitted")
def records_are_emitted(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("out", like=datatable) == datatable
