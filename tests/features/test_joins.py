"""Joins, as those tell them who need what they bring together."""

from typing import Any

from pytest_bdd import given, parsers, scenarios, then, when

from tests.conformance.recorded import TOPOLOGIES
from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("joins")


# --- clicks and searches ----------------------------------------------------------------------------------------------


@given("the clickstream")
def clickstream(scenario: Scenario) -> None:
    scenario.use("clickstream")


@given("these profiles")
def profiles(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        profile = {"userName": row["name"], "zipcode": row["zipcode"], "interests": []}
        scenario.arrives("profiles", row["user"], profile, milliseconds(row["at"]))


@given(parsers.parse("searches may come late by {duration}"))
def grace(scenario: Scenario, duration: str) -> None:
    scenario.use("clickstream", grace_ms=milliseconds(duration))


@when("this happens")
def clicks_and_searches(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        user, text, time = row["user"], row["page or terms"], milliseconds(row["at"])
        if row["what"] == "click":
            scenario.arrives("clicks", user, {"userId": user, "page": text}, time)
        else:
            scenario.arrives("searches", user, {"searchTerms": text}, time)


@then("these activities are told")
def activities(scenario: Scenario, datatable: Table) -> None:
    assert [
        (value["userId"], value["userName"], value["searchTerm"], value["page"], record["timestamp"])
        for record in scenario.left("user-activity")
        for value in [record["value"]]
    ] == [(row["user"], row["name"], row["search"], row["page"], milliseconds(row["at"])) for row in rows(datatable)]


@then("no activity is told")
def no_activity(scenario: Scenario) -> None:
    assert scenario.left("user-activity") == []


# --- notifications ----------------------------------------------------------------------------------------------------


@given("the notifications")
def notifications(scenario: Scenario) -> None:
    scenario.use("fb-notifications")


@when("this is seen")
def actions_and_ticks(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        topic, value = ("ticks", "tick") if row["what"] == "tick" else ("user-actions", row["value"] or None)
        scenario.arrives(topic, row["user"], value, milliseconds(row["at"]))


@then("these users are notified")
def notified(scenario: Scenario, datatable: Table) -> None:
    assert [(record["key"], record["timestamp"]) for record in scenario.left("notifications")] == [
        (row["user"], milliseconds(row["at"])) for row in rows(datatable)
    ]


@then("nobody is notified")
def nobody_notified(scenario: Scenario) -> None:
    assert scenario.left("notifications") == []


# --- captchas ---------------------------------------------------------------------------------------------------------


@given(parsers.parse("captchas from {threshold:d} actions on"))
def captchas(scenario: Scenario, threshold: int) -> None:
    scenario.use("captcha", threshold=threshold)


@given("solved captchas in a global table")
def in_a_global_table(scenario: Scenario) -> None:
    scenario.use("captcha", kind="global")


@when(parsers.parse("these browsers act: {browsers}"))
def browsers_act(scenario: Scenario, browsers: str) -> None:
    for browser in browsers.split():
        scenario.arrives("actions", browser, "click", 0)


@when(parsers.parse("{browser} solves a captcha"))
def solves(scenario: Scenario, browser: str) -> None:
    scenario.arrives("captchas-solved", browser, {"ok": True}, 0)


@when(parsers.parse("it is forgotten that {browser} solved a captcha"))
def forgotten(scenario: Scenario, browser: str) -> None:
    scenario.arrives("captchas-solved", browser, None, 0)


@then("these captchas are asked for")
def asked_for(scenario: Scenario, datatable: Table) -> None:
    assert [(record["key"], record["value"]["count"]) for record in scenario.left("captcha-requests")] == [
        (row["browser"], int(row["actions"])) for row in rows(datatable)
    ]


# --- orders and customers ---------------------------------------------------------------------------------------------


@given("orders are joined with the customers that there are")
def inner_foreign_key_join(scenario: Scenario) -> None:
    scenario.use(TOPOLOGIES["joins"], kind="fk-inner")


@given("orders are joined with their customers or none")
def left_foreign_key_join(scenario: Scenario) -> None:
    scenario.use(TOPOLOGIES["joins"], kind="fk-left")


@when("this changes")
def changes(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        value: Any = row["value"] or None
        if row["table"] == "order" and value is not None:
            value = {"fk": row["points to"] or None, "what": value}
        scenario.arrives("left" if row["table"] == "order" else "right", row["key"], value, 0)


@then("these orders are told")
def orders_told(scenario: Scenario, datatable: Table) -> None:
    found = []
    for record in scenario.left("joined"):
        both = record["value"] or {"left": {"what": ""}, "right": ""}
        found.append((record["key"], both["left"]["what"], both["right"] or ""))
    assert found == [(row["order"], row["what"], row["customer"]) for row in rows(datatable)]
