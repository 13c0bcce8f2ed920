"""Clicks with the profile and the search of the user."""

from pytest_bdd import given, parsers, scenarios, then, when
from pytest_bdd import scenario as of_feature

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("clickstream/clickstream.feature")


@of_feature("clickstream/what_cannot_be_true.feature", "A click is on a page, by a user")
def test_what_is_no_click() -> None: ...


@of_feature("operating/restarts.feature", "Unreadable clicks and profiles are set aside, and everything else is processed")
def test_unreadable_clicks() -> None: ...


@of_feature("operating/restarts.feature", "Profiles, and clicks that still wait for a search, outlive a restart")
def test_restart() -> None: ...


ACTIVITY = {"user": "user_id", "name": "user_name", "search": "search_term"}


@given("clicks are enriched with profiles and searches")
def clicks_are_enriched(flow: RecordedFlow) -> None:
    flow.use("clickstream")


@when(parsers.parse("the profile of user {user} is deleted"))
def profile_is_deleted(scenario: Scenario, user: str) -> None:
    scenario.pipe("profiles", [{"key": user}])


@then("the activities are")
def activities_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("user-activity", like=datatable, columns=ACTIVITY) == datatable


@then("there are no activities yet")
def no_activities(flow: RecordedFlow) -> None:
    assert flow.outputs("user-activity") == []
