"""The steps of features/busy_shops.feature, on the memory engine."""

import pytest
from domain.takings import BusyShop, Payment
from pytest_bdd import given, parsers, scenarios, then, when

from application.flows import FLOWS
from eddyline.testing import MemoryEngine

scenarios("features/busy_shops.feature")

Table = list[list[str]]


@given(parsers.parse("a limit of {limit:g} euros a minute"), target_fixture="engine")
def engine(limit: float) -> MemoryEngine:
    return MemoryEngine(FLOWS[0].topology(limit=limit))


@when("these payments are made")
def payments_are_made(engine: MemoryEngine, datatable: Table) -> None:
    for till, shop, amount, second in datatable[1:]:
        engine.pipe("payments", till, Payment(shop, float(amount)), timestamp=int(second) * 1_000)


@then("these shops are busy")
def shops_are_busy(engine: MemoryEngine, datatable: Table) -> None:
    expected = [BusyShop(shop, int(payments), float(total)) for shop, payments, total in datatable[1:]]
    assert [record.value for record in engine.outputs("busy-shops")] == expected


@then("no shop is busy")
def no_shop_is_busy(engine: MemoryEngine) -> None:
    assert engine.outputs("busy-shops") == []


def test_a_payment_that_is_too_late_is_dropped_and_counted() -> None:
    engine = MemoryEngine(FLOWS[0].topology())
    engine.pipe("payments", "till 1", Payment("north", 1.0), timestamp=200_000)
    engine.pipe("payments", "till 1", Payment("north", 1.0), timestamp=0)
    (((_operator, reason), count),) = engine.drops.items()
    assert (reason, count) == ("late", 1)


@pytest.mark.parametrize("partitions", [1, 4])
def test_the_number_of_partitions_does_not_change_the_result(partitions: int) -> None:
    engine = MemoryEngine(FLOWS[0].topology(limit=10.0), partitions=partitions)
    engine.pipe_all([("payments", f"till {n}", Payment("north", 4.0), n) for n in range(3)])
    assert [record.value for record in engine.outputs("busy-shops")] == [BusyShop("north", 3, 12.0)]
