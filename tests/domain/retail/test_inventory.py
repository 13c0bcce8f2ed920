from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.retail import Item, Stock, change_stock, empty_stock, merge_stock, missing_pieces

items = st.builds(
    Item,
    store_name=st.just("S"),
    sku=st.sampled_from(["a", "b", None]),
    quantity=st.integers(-5, 20),
    type=st.sampled_from(["RESTOCK", "SALE", "RETURN", None]),
)


def stocked(some: list[Item]) -> Stock:
    return reduce(change_stock, some, empty_stock())


def test_a_restock_adds_and_a_sale_subtracts() -> None:
    assert stocked([Item("S", "a", 10, "RESTOCK"), Item("S", "b", 5, "RESTOCK"), Item("S", "a", 3, "SALE")]) == {"a": 7, "b": 5}


def test_stock_below_zero_is_kept_as_a_fact() -> None:
    assert stocked([Item("S", "a", 4, "SALE")]) == {"a": -4}


def test_what_is_below_zero_is_missing_and_nothing_else() -> None:
    assert missing_pieces({"a": -4, "b": 0, "c": 1, "d": -1}) == {"a": 4, "d": 1}
    assert missing_pieces(empty_stock()) == {}


def test_a_sku_that_is_sold_out_stays() -> None:
    assert stocked([Item("S", "a", 4, "RESTOCK"), Item("S", "a", 4, "SALE")]) == {"a": 0}


@pytest.mark.parametrize(
    "item",
    [
        Item("S", "a", 4, "RETURN"),
        Item("S", "a", 4, "restock"),
        Item("S", "a", 4),
        Item("S", "a", 0, "SALE"),
        Item("S", None, 9, "RESTOCK"),
    ],
    ids=["unknown type", "type in other letters", "no type", "nothing sold", "no sku"],
)
def test_an_item_without_change_enters_no_sku(item: Item) -> None:
    assert stocked([item]) == {}


@given(st.lists(items))
def test_stock_is_the_sum_of_the_changes(some: list[Item]) -> None:
    stock = stocked(some)
    for sku in ("a", "b"):
        assert stock.get(sku, 0) == sum(item.change for item in some if item.sku == sku)


@given(st.lists(items), items)
def test_a_change_leaves_the_old_stock_as_it_was(some: list[Item], another: Item) -> None:
    stock = stocked(some)
    change_stock(stock, another)
    assert stock == stocked(some)


@given(st.lists(items), st.lists(items), st.lists(items))
def test_merging_gives_what_changing_one_by_one_gives(some: list[Item], more: list[Item], most: list[Item]) -> None:
    parts = [stocked(run) for run in (some, more, most)]
    together = stocked(some + more + most)
    assert merge_stock(merge_stock(parts[0], parts[1]), parts[2]) == together
    assert merge_stock(parts[0], merge_stock(parts[1], parts[2])) == together
    assert merge_stock(together, empty_stock()) == together == merge_stock(empty_stock(), together)
