"""Notifications to users who are not viewing the site."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table, rows

scenarios("notifications/fb_notifications.feature", "notifications/fb_notifications_at_once.feature")


@of_feature("operating/restarts.feature", "An unreadable action is set aside, and the action before it still counts")
def test_unreadable_action() -> None: ...


@of_feature("operating/restarts.feature", "Users who are away are still known after a restart, and nobody is notified twice")
def test_restart() -> None: ...


USER = {"user": "key"}


@given("users who are away are notified at every tick")
def notified_at_ticks(flow: RecordedFlow) -> None:
    flow.use("fb-notifications")


@given("users are notified as soon as they close the site")
def notified_at_once(flow: RecordedFlow) -> None:
    flow.use("fb-notifications", kind="stateless")


@when("these events arrive")
def events_arrive(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        topic, value = {"tick": ("ticks", "tick"), "action": ("user-actions", row["action"])}[row["event"]]
        scenario.pipe(topic, [{"user": row["user"], "value": value, "time": row["time"]}], columns=USER)


@then(parsers.parse('these users are notified with "{message}"'))
def users_are_notified(scenario: Scenario, message: str, datatable: Table) -> None:
    expected = [[*datatable[0], "message"], *([*row, message] for row in datatable[1:])]
    assert scenario.outputs("notifications", like=expected, columns=USER) == expected


@then("nobody is notified")
def nobody_is_notified(flow: RecordedFlow) -> None:
    assert flow.outputs("notifications") == []
