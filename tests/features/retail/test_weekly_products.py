"""The products that were ordered most in each week."""

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table, as_table

scenarios("retail/weekly_products.feature")


@given(parsers.parse("the {most:d} best products of each week are listed"))
def products_are_listed(flow: RecordedFlow, most: int) -> None:
    flow.use("weekly-products", most=most)


@given(parsers.parse("the {most:d} best products of each week in {zone} are listed"))
def products_are_listed_in(flow: RecordedFlow, most: int, zone: str) -> None:
    flow.use("weekly-products", most=most, zone=zone)


@when("these orders arrive")
def orders_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("orders", datatable, columns={"number": "key"})


@then("the products of the week are")
def products_are(flow: RecordedFlow, datatable: Table) -> None:
    found = [
        {
            "week": record.key,
            "pieces": str(record.value.pieces),
            "best products": ", ".join(f"{each.pieces} {each.product}" for each in record.value.products),
        }
        for record in flow.outputs("products-of-the-week")
    ]
    assert as_table(found, datatable) == datatable
