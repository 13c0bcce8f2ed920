"""What users do, in the steps of several features."""

from pytest_bdd import when

from eddyline.domain.clickstream import Profile
from eddyline.testing import Columns, Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table, rows

EVENTS: dict[str, tuple[str, Columns]] = {
    "click": ("clicks", {"user": ("key", "user_id"), "page or search": "page"}),
    "search": ("searches", {"user": "key", "page or search": "search_terms"}),
}


@when("these profiles arrive")
def profiles_arrive(flow: RecordedFlow, datatable: Table) -> None:
    for row in rows(datatable):
        interests = tuple(row["interests"].split(", ")) if row.get("interests") else None
        flow.pipe("profiles", row["user"], Profile(row["name"], row["zipcode"], interests), 0)


@when("these events arrive")
def events_arrive(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        topic, columns = EVENTS[row.pop("event")]
        scenario.pipe(topic, [row], columns=columns)
