"""Users with their profiles and what they do, by the minute."""

from pytest_bdd import given, scenarios, then

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table, rows

scenarios("clickstream/user_360.feature")


@given("users are viewed from all sides")
def users_are_viewed(flow: RecordedFlow) -> None:
    flow.use("user-360")


@then("the last views are")
def views_are(scenario: Scenario, datatable: Table) -> None:
    found = scenario.outputs("user-minutes", like=datatable, columns={"name": "user_name"})
    latest = {(row["user"], row["minute"]): row for row in rows(found)}
    assert [latest[row["user"], row["minute"]] for row in rows(datatable)] == rows(datatable)
    assert len(latest) == len(rows(datatable))
