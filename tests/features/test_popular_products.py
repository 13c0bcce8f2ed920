"""Popular products, as a shop tells them."""

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, Table, rows

scenarios("popular_products")


@given(parsers.parse("a page is popular at {views:d} views"))
def threshold(scenario: Scenario, views: int) -> None:
    scenario.use("popular-products", threshold=views)


@when("these pages are seen")
def views(scenario: Scenario, datatable: Table) -> None:
    for number, row in enumerate(rows(datatable)):
        scenario.arrives("page-views", row["visitor"], {"page": row["page"] or None}, number)


@then("these alerts are given")
def alerts(scenario: Scenario, datatable: Table) -> None:
    given_alerts = [(record["value"]["page"], record["value"]["views"]) for record in scenario.left("popular-alerts")]
    assert given_alerts == [(row["page"], int(row["views"])) for row in rows(datatable)]


@then("no alert is given")
def no_alert(scenario: Scenario) -> None:
    assert scenario.left("popular-alerts") == []
