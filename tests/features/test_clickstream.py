"""The clickstream, as a marketer tells it."""

from typing import Any

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("clickstream")


@given("the clickstream")
def clickstream(scenario: Scenario) -> None:
    scenario.use("clickstream")


@when("these profiles are given")
def profiles(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        interests = row["interests"].split(", ") if row["interests"] else None
        profile = {"userName": row["name"], "zipcode": row["zipcode"], "interests": interests}
        scenario.arrives("profiles", row["user"], profile, 0)


@when(parsers.parse("the profile of {user} is deleted"))
def profile_deleted(scenario: Scenario, user: str) -> None:
    scenario.arrives("profiles", user, None, 0)


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
    expected = [{**row, "at": milliseconds(row["at"])} for row in rows(datatable)]
    assert [_activity(record) for record in scenario.left("user-activity")] == expected


@then("no activity is told")
def no_activity(scenario: Scenario) -> None:
    assert scenario.left("user-activity") == []


def _activity(record: dict[str, Any]) -> dict[str, Any]:
    value = record["value"]
    return {
        "user": value["userId"],
        "name": value["userName"],
        "zipcode": value["zipcode"],
        "interests": ", ".join(value["interests"] or []),
        "search": value["searchTerm"],
        "page": value["page"],
        "at": record["timestamp"],
    }
