from functools import reduce

from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.retail import RefusedReturn, ShoeStore, ShoeStoreReport, ShoeTransaction

transactions = st.builds(
    ShoeTransaction,
    type=st.sampled_from(["SHIPMENT", "SALE", "RETURN"]),
    shoe=st.sampled_from(["red", "blue"]),
    pairs=st.integers(1, 5),
    price_cents=st.integers(0, 100),
)


def after(*some: ShoeTransaction) -> ShoeStore:
    return reduce(ShoeStore.after, some, ShoeStore())


@given(st.lists(transactions))
def test_stock_and_money_are_the_sums_of_the_transactions_that_were_not_refused(some: list[ShoeTransaction]) -> None:
    store, done = ShoeStore(), []
    for each in some:
        store = store.after(each)
        if store.refused is None:
            done.append(each)
    into_stock = {"SHIPMENT": 1, "SALE": -1, "RETURN": 1}
    money = {"SHIPMENT": -1, "SALE": 1, "RETURN": -1}
    for shoe, pairs in store.stock.items():
        assert pairs == sum(into_stock[each.type] * each.pairs for each in done if each.shoe == shoe)
    assert store.money_cents == sum(money[each.type] * each.pairs * each.price_cents for each in done)
    assert store.transactions == len(done)
    assert min(store.sold.values(), default=0) >= 0


def test_a_refusal_says_how_many_pairs_could_be_returned() -> None:
    store = after(ShoeTransaction("SALE", "red", 2, 100), ShoeTransaction("RETURN", "red", 3, 100))
    assert store.refusal("north") == RefusedReturn("north", "red", 3, "3 are more than the 2 that were sold and not returned")
    assert store.after(ShoeTransaction("RETURN", "red", 2, 100)).refusal("north") is None


def test_the_report_has_the_name_of_the_store() -> None:
    assert after(ShoeTransaction("SALE", "red", 2, 100)).report("north") == ShoeStoreReport("north", {"red": -2}, 200, 1)
