"""Payments that are approved, or refused with a reason."""

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import Scenario
from tests.features.recording import RecordedFlow
from tests.features.tables import Table

scenarios("payments/payment_approval.feature", "payments/what_cannot_be_true.feature")

COLUMNS = {"card": "key"}


@given(
    parsers.parse(
        "payments are approved up to {limit:d} each, {most:d} in a minute, and an hour after a payment in another country"
    )
)
def payments_are_approved(flow: RecordedFlow, limit: int, most: int) -> None:
    flow.use("payment-approval", limit=float(limit), most=most)


@when("these payments are asked for")
def payments_are_asked_for(scenario: Scenario, datatable: Table) -> None:
    scenario.pipe("payments", datatable, columns=COLUMNS)


@then(parsers.parse("the {decided} payments are"))
def decided_payments_are(scenario: Scenario, decided: str, datatable: Table) -> None:
    assert scenario.outputs(f"{decided}-payments", like=datatable, columns=COLUMNS) == datatable


@then(parsers.parse("no payment is {decided}"))
def no_payment_is(flow: RecordedFlow, decided: str) -> None:
    assert flow.outputs(f"{decided}-payments") == []
