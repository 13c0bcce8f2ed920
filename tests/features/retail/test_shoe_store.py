"""The stock, the money and the transactions of shoe stores."""

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table, rows

scenarios("retail/shoe_store.feature")


@given("the shoe stores are tracked")
def stores_are_tracked(flow: RecordedFlow) -> None:
    flow.use("shoe-store")


@when("these transactions arrive")
def transactions_arrive(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("shoe-transactions", datatable, columns={"store": "key", "price in cents": "price_cents"})


@then(parsers.parse("the state of {store} is"))
def state_is(flow: RecordedFlow, store: str, datatable: Table) -> None:
    found = [record.value for record in flow.outputs("shoe-stores") if record.key == store]
    assert found[-1].stock == {row["shoe"]: int(row["pairs"]) for row in rows(datatable)}


@then(parsers.parse("{store} has {euros:d} € after {transactions:d} transactions"))
def money_is(flow: RecordedFlow, store: str, euros: int, transactions: int) -> None:
    found = [record.value for record in flow.outputs("shoe-stores") if record.key == store]
    assert (found[-1].money_cents, found[-1].transactions) == (euros * 100, transactions)


@then("the refused returns are")
def refused_returns_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("refused-returns", like=datatable) == datatable
