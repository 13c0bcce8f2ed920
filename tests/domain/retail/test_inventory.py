from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.retail import Inventory, Item, NegativeStock, StoreInventory

items = st.builds(
    Item,
    store_name=st.just("S"),
    sku=st.sampled_from(["a", "b"]),
    quantity=st.integers(1, 20),
    type=st.sampled_from(["RESTOCK", "SALE"]),
)


def inventory_of(some: list[Item]) -> Inventory:
    return reduce(Inventory.apply, some, Inventory())


def test_a_restock_adds_and_a_sale_subtracts() -> None:
    inventory = inventory_of([Item("S", "a", 10, "RESTOCK"), Item("S", "b", 5, "RESTOCK"), Item("S", "a", 3, "SALE")])
    assert inventory.stock == {"a": 7, "b": 5}


def test_stock_may_be_negative() -> None:
    assert inventory_of([Item("S", "a", 4, "SALE")]).stock == {"a": -4}


def test_the_inventory_is_published_with_the_name_of_the_store() -> None:
    assert Inventory({"a": 7}).of_store("S") == StoreInventory("S", {"a": 7})


def test_a_shortage_has_the_missing_pieces_of_each_negative_sku() -> None:
    assert Inventory({"a": -4, "b": 0, "c": 1, "d": -1}).shortage("S") == NegativeStock("S", {"a": 4, "d": 1})


@pytest.mark.parametrize("stock", [{}, {"a": 0}, {"a": 1, "b": 0}])
def test_without_negative_stock_there_is_no_shortage(stock: dict[str, int]) -> None:
    assert Inventory(stock).shortage("S") is None


def test_a_sku_that_is_sold_out_remains_in_the_stock() -> None:
    assert inventory_of([Item("S", "a", 4, "RESTOCK"), Item("S", "a", 4, "SALE")]).stock == {"a": 0}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (("S", "a", 4, "RETURN"), "type is 'RETURN'; it must be one of: RESTOCK, SALE"),
        (("S", "a", 4, None), "type is None; it must be one of: RESTOCK, SALE"),
        (("S", "a", 0, "SALE"), "quantity is 0; it must be a whole number of at least 1"),
        (("S", "a", -3, "SALE"), "quantity is -3; it must be a whole number of at least 1"),
        (("S", None, 9, "RESTOCK"), "sku is None; it must be a text that is not empty"),
        (("", "a", 9, "RESTOCK"), "store_name is ''; it must be a text that is not empty"),
    ],
)
def test_an_item_that_cannot_be_true_cannot_be_created(fields: tuple[Any, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        Item(*fields)


def test_an_inventory_has_a_hash() -> None:
    assert len({Inventory({"a": 1}), Inventory({"a": 1}), Inventory({"a": 2})}) == 2


@given(st.lists(items))
def test_stock_is_the_sum_of_the_changes(some: list[Item]) -> None:
    stock = inventory_of(some).stock
    for sku in ("a", "b"):
        assert stock.get(sku, 0) == sum(item.change for item in some if item.sku == sku)


@given(st.lists(items), items)
def test_applying_an_item_leaves_the_original_inventory_unchanged(some: list[Item], another: Item) -> None:
    inventory = inventory_of(some)
    inventory.apply(another)
    assert inventory == inventory_of(some)


@given(st.lists(items), st.lists(items), st.lists(items))
def test_merging_inventories_equals_applying_their_items_one_by_one(some: list[Item], more: list[Item], most: list[Item]) -> None:
    parts = [inventory_of(run) for run in (some, more, most)]
    together = inventory_of(some + more + most)
    assert parts[0].merge(parts[1]).merge(parts[2]) == together
    assert parts[0].merge(parts[1].merge(parts[2])) == together
    assert together.merge(Inventory()) == together == Inventory().merge(together)
