"""Results that are held back, as those who are told them later tell it."""

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.application.flows.flow import Flow
from tests.conformance.windows import suppressed_counts
from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("suppress")

FLOW = Flow("suppress", "Counts events, and holds the counts back.", suppressed_counts)


@given("the notification metrics, told only when final")
def final_metrics(scenario: Scenario) -> None:
    scenario.use("notification-metrics", suppress=True)


@given(parsers.parse("windows take late notifications for {duration}"))
def grace(scenario: Scenario, duration: str) -> None:
    scenario.use("notification-metrics", grace_ms=milliseconds(duration))


@given(parsers.re(r"counts that wait for (?P<limit>\d+ s)(, no more than (?P<most>\d+) at once)?"))
def waiting_counts(scenario: Scenario, limit: str, most: str | None) -> None:
    scenario.use(FLOW, window="none", limit_ms=milliseconds(limit), max_records=None if most is None else int(most))


@when(parsers.parse("{user} is notified"))
def notified(scenario: Scenario, user: str, datatable: Table) -> None:
    for row in rows(datatable):
        scenario.arrives("notifications", user, {"message": "news"}, milliseconds(row["at"]))


@when("these events come in")
def events(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        scenario.arrives("events", row["key"], "event", milliseconds(row["at"]))


@when(parsers.re(r"(?P<duration>\d+ min) pass"))
def time_passes(scenario: Scenario, duration: str) -> None:
    scenario.wall_clock_moves(milliseconds(duration))


@then(parsers.parse("{user} has been told"))
def told(scenario: Scenario, user: str, datatable: Table) -> None:
    expected = [
        (user, {"start": milliseconds(row["from"]), "end": milliseconds(row["to"])}, int(row["count"])) for row in rows(datatable)
    ]
    records = scenario.left("notification-metrics")
    assert [(record["key"]["key"], record["key"]["window"], record["value"]) for record in records] == expected


@then(parsers.parse("{user} has been told nothing"))
def told_nothing(scenario: Scenario, user: str) -> None:
    assert [record for record in scenario.left("notification-metrics") if record["key"]["key"] == user] == []


@then("these counts have left")
def counts(scenario: Scenario, datatable: Table) -> None:
    expected = [(row["key"], int(row["count"]), milliseconds(row["at"])) for row in rows(datatable)]
    assert [(record["key"], record["value"], record["timestamp"]) for record in scenario.left("suppressed-counts")] == expected
