"""The log triage, as an operator tells it."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, rows

scenarios("log_triage")


@given("the log triage")
def log_triage(scenario: Scenario) -> None:
    scenario.use("log-triage")


@given(parsers.parse("the severities {one} and {other} are high"))
def severities(scenario: Scenario, one: str, other: str) -> None:
    scenario.use("log-triage", high=[one, other])


@given("the log triage with an audit")
def with_audit(scenario: Scenario) -> None:
    scenario.use("log-triage", audit=True)


@when("these events come in")
def events(scenario: Scenario, datatable: Table) -> None:
    for number, row in enumerate(rows(datatable)):
        scenario.arrives("logs", None, dict(row), number)


@then(parsers.parse('{topic} has the messages "{messages}"'))
def messages_of(scenario: Scenario, topic: str, messages: str) -> None:
    assert [record["value"]["message"] for record in scenario.left(topic)] == messages.split(", ")
