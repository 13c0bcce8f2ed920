"""Counts of notifications by user and window."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario, milliseconds
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("notifications/notification_metrics.feature", "notifications/what_cannot_be_true.feature")


@of_feature("operating/restarts.feature", "Counts of notifications and their time outlive a restart")
def test_restart() -> None: ...


COLUMNS = {"user": "key", "count": "value"}
COUNT = [["count"]]


@given("notifications are counted by user")
def notifications_are_counted(flow: RecordedFlow) -> None:
    flow.use("notification-metrics")


@given(parsers.parse("late notifications are accepted for {duration}"))
def late_notifications_are_accepted(flow: RecordedFlow, duration: str) -> None:
    flow.set(grace_ms=milliseconds(duration))


@given("only final counts are reported")
def only_final_counts(flow: RecordedFlow) -> None:
    flow.set(suppress=True)


@when("these users are notified")
def users_are_notified(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("notifications", datatable, columns=COLUMNS, constants={"message": "news"})


@then("the counts include")
def counts_include(scenario: Scenario, datatable: Table) -> None:
    header, *expected = datatable
    found = scenario.latest("notification-metrics", like=[header, *expected], columns=COLUMNS)
    assert [row for row in expected if row not in found] == []


@then(parsers.parse("the count of {user} from {start} to {end} changes to {counts}"))
def count_changes_to(scenario: Scenario, user: str, start: str, end: str, counts: str) -> None:
    window = {"user": user, "window start": start, "window end": end}
    found = scenario.outputs("notification-metrics", like=COUNT, columns=COLUMNS, where=window)
    assert found[1:] == [[count] for count in counts.split(", ")]


@then(parsers.parse("{user} has no count from {start} to {end}"))
def no_count(scenario: Scenario, user: str, start: str, end: str) -> None:
    window = {"user": user, "window start": start, "window end": end}
    assert scenario.outputs("notification-metrics", like=COUNT, columns=COLUMNS, where=window) == COUNT


@then(parsers.parse("{user} has no counts"))
def no_counts(scenario: Scenario, user: str) -> None:
    assert scenario.outputs("notification-metrics", like=COUNT, columns=COLUMNS, where={"user": user}) == COUNT
