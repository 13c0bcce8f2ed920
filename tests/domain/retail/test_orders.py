from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.retail import OrderLine, add_quantity, customer, has_lines, order_lines, sku

lines = st.fixed_dictionaries({"sku": st.just("x")}, optional={"qty": st.integers(-5, 50), "note": st.text()})


def test_an_order_has_its_lines_as_they_were_sent() -> None:
    sent = [{"sku": "x", "qty": 1, "note": "n"}, {"sku": None}]
    assert order_lines({"customer": "ann", "lines": sent}) == sent
    assert has_lines({"lines": sent})


@pytest.mark.parametrize("order", [None, {}, {"lines": []}, {"lines": {}}, {"lines": None}, {"lines": "x"}])
def test_an_order_without_a_list_of_lines_has_none(order: dict[str, Any] | None) -> None:
    assert not has_lines(order)


def test_customer_and_sku_are_texts_or_nothing() -> None:
    assert (customer({"customer": "ann"}), customer({"customer": 7}), customer({})) == ("ann", None, None)
    assert (sku({"sku": "x"}), sku({"sku": None}), sku({})) == ("x", None, None)


@pytest.mark.parametrize("sent", [None, "x", 7, ["sku"]])
def test_what_is_no_object_names_neither_customer_nor_sku(sent: Any) -> None:
    assert (customer(sent), sku(sent)) == (None, None)


def test_the_running_total_keeps_its_own_fields_and_grows_by_the_lines_quantity() -> None:
    total = add_quantity({"sku": "x", "qty": 1, "note": "first"}, {"sku": "x", "qty": 2, "note": "second", "more": True})
    assert total == {"sku": "x", "qty": 3, "note": "first"}


def test_a_total_without_a_quantity_starts_at_zero() -> None:
    assert add_quantity({"sku": "é", "note": "no qty"}, {"sku": "é", "qty": 3}) == {"sku": "é", "note": "no qty", "qty": 3}


@given(st.lists(lines, min_size=2))
def test_reducing_lines_sums_their_quantities(some: list[OrderLine]) -> None:
    first = dict(some[0])
    total = reduce(add_quantity, some)
    assert total == {**first, "qty": sum(line.get("qty", 0) for line in some)}
    assert some[0] == first
