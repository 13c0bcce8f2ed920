"""Log events sorted by severity."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("operations/log_triage.feature")


@of_feature("operations/what_cannot_be_true.feature", "A log event has a severity and a message")
def test_log_events() -> None: ...


@given("log events are sorted by severity")
def log_events_are_sorted(flow: RecordedFlow) -> None:
    flow.use("log-triage")


@given(parsers.parse("the severities {one} and {other} are high"))
def high_severities(flow: RecordedFlow, one: str, other: str) -> None:
    flow.use("log-triage", high=[one, other])


@given("log events are audited")
def log_events_are_audited(flow: RecordedFlow) -> None:
    flow.use("log-triage", audit=True)


@when("these log events arrive")
def log_events_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("logs", datatable)


@then(parsers.parse("topic '{topic}' contains the messages \"{messages}\""))
def topic_contains(scenario: Scenario, topic: str, messages: str) -> None:
    expected = [["message"], *([message] for message in messages.split(", "))]
    assert scenario.outputs(topic, like=expected) == expected
