"""Notifications, as a product owner tells them."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("fb_notifications")


@given("the notifications of users who are away")
def notifications(scenario: Scenario) -> None:
    scenario.use("fb-notifications")


@given("the notifications that are sent at once")
def at_once(scenario: Scenario) -> None:
    scenario.use("fb-notifications", kind="stateless")


@when("this is seen")
def seen(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        topic, value = ("ticks", "tick") if row["what"] == "tick" else ("user-actions", row["action"] or None)
        scenario.arrives(topic, row["user"], value, milliseconds(row["at"]))


@then(parsers.parse('these users are told "{message}"'))
def told(scenario: Scenario, message: str, datatable: Table) -> None:
    expected = [(row["user"], {"message": message}, milliseconds(row["at"])) for row in rows(datatable)]
    assert [(record["key"], record["value"], record["timestamp"]) for record in scenario.left("notifications")] == expected


@then("nobody is told anything")
def nobody_told(scenario: Scenario) -> None:
    assert scenario.left("notifications") == []
