"""Punctuation by both clocks."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("punctuation")


@given(parsers.parse("a step that tells its counts every {interval} by the time of the records"))
def by_stream_time(scenario: Scenario, interval: str) -> None:
    scenario.use("product-counter", punctuation="stream", interval_ms=milliseconds(interval))


@given(parsers.parse("a step that tells its counts every {interval} by the clock on the wall"))
def by_wall_clock(scenario: Scenario, interval: str) -> None:
    scenario.use("product-counter", punctuation="wall", interval_ms=milliseconds(interval))


@when("records come in at")
def records(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        scenario.arrives("product-views", "tv", "view", milliseconds(row["at"]))


@when("these times pass")
def times(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        scenario.wall_clock_moves(milliseconds(row["time"]))


@then("the step was called at")
def calls(scenario: Scenario, datatable: Table) -> None:
    assert [record["timestamp"] for record in scenario.left("product-counts")] == [
        milliseconds(row["at"]) for row in rows(datatable)
    ]
