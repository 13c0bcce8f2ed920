"""Sessions, as those who count visits tell them."""

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.application.flows.flow import Flow
from tests.conformance.windows import session_counts
from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("sessions")

FLOW = Flow("session-counts", "Counts events in sessions.", session_counts)


@given(parsers.parse("events are counted in sessions with a gap of {duration}"))
def sessions(scenario: Scenario, duration: str) -> None:
    scenario.use(FLOW, gap_ms=milliseconds(duration))


@given(parsers.parse("sessions take late events for {duration}"))
def grace(scenario: Scenario, duration: str) -> None:
    scenario.use(FLOW, grace_ms=milliseconds(duration))


@when("these events come in")
def events(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        scenario.arrives("events", row["key"], "event", milliseconds(row["at"]))


@then("these sessions are told")
def told(scenario: Scenario, datatable: Table) -> None:
    expected = [
        (
            row["key"],
            {"start": milliseconds(row["from"]), "end": milliseconds(row["to"])},
            None if row["count"] == "gone" else int(row["count"]),
        )
        for row in rows(datatable)
    ]
    records = scenario.left("session-counts")
    assert [(record["key"]["key"], record["key"]["window"], record["value"]) for record in records] == expected
