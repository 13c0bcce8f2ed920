"""The notification metrics, as those tell them who watch that nobody is flooded."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("notification_metrics")


@given("the notification metrics")
def notification_metrics(scenario: Scenario) -> None:
    scenario.use("notification-metrics")


@given(parsers.parse("spans wait {duration} for late notifications"))
def grace(scenario: Scenario, duration: str) -> None:
    scenario.use("notification-metrics", grace_ms=milliseconds(duration))


@given("only final counts are told")
def final(scenario: Scenario) -> None:
    scenario.use("notification-metrics", suppress=True)


@when("these users are notified")
def notified(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        scenario.arrives("notifications", row["user"], {"message": "news"}, milliseconds(row["at"]))


@then("these counts are at last, among others")
def at_last(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        assert _told(scenario, row["user"], row["from"], row["to"])[-1:] == [int(row["count"])], row


@then(parsers.parse("{user}'s span from {start} to {end} was told as {counts}"))
def told_as(scenario: Scenario, user: str, start: str, end: str, counts: str) -> None:
    assert _told(scenario, user, start, end) == [int(count) for count in counts.split(", ")]


@then(parsers.parse("{user} has no count from {start} to {end}"))
def no_count(scenario: Scenario, user: str, start: str, end: str) -> None:
    assert _told(scenario, user, start, end) == []


@then(parsers.parse("{user} has been told nothing"))
def told_nothing(scenario: Scenario, user: str) -> None:
    assert user not in {record["key"]["key"] for record in scenario.left("notification-metrics")}


def _told(scenario: Scenario, user: str, start: str, end: str) -> list[int]:
    key = {"key": user, "window": {"start": milliseconds(start), "end": milliseconds(end)}}
    return [record["value"] for record in scenario.left("notification-metrics") if record["key"] == key]
