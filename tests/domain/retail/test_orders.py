from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.retail import Order, OrderLine, SkuTotal

lines = st.fixed_dictionaries({"sku": st.just("x")}, optional={"qty": st.integers(-5, 50), "note": st.text()})


def total_of(*lines: dict[str, Any]) -> dict[str, Any]:
    return reduce(SkuTotal.add, map(OrderLine, lines[1:]), SkuTotal(lines[0])).content


def test_an_order_has_its_lines_as_they_were_sent() -> None:
    sent = [{"sku": "x", "qty": 1, "note": "n"}, {"sku": None}]
    assert Order({"customer": "ann", "lines": sent}).lines == sent
    assert not Order({"lines": sent}).is_empty


@pytest.mark.parametrize("order", [None, {}, {"lines": []}, {"lines": {}}, {"lines": None}, {"lines": "x"}])
def test_an_order_without_a_list_of_lines_is_empty(order: dict[str, Any] | None) -> None:
    assert Order(order).is_empty
    assert Order(order).lines == []


def test_customer_and_sku_are_strings_or_none() -> None:
    customers = [Order(content).customer for content in ({"customer": "ann"}, {"customer": 7}, {})]
    skus = [OrderLine(content).sku for content in ({"sku": "x"}, {"sku": None}, {})]
    assert customers == ["ann", None, None]
    assert skus == ["x", None, None]


@pytest.mark.parametrize("sent", [None, "x", 7, ["sku"]])
def test_what_is_not_an_object_names_neither_customer_nor_sku(sent: Any) -> None:
    assert (Order(sent).customer, OrderLine(sent).sku) == (None, None)


def test_the_total_keeps_the_fields_of_the_first_line_and_adds_the_quantities() -> None:
    total = total_of({"sku": "x", "qty": 1, "note": "first"}, {"sku": "x", "qty": 2, "note": "second", "more": True})
    assert total == {"sku": "x", "qty": 3, "note": "first"}


def test_a_missing_quantity_counts_as_zero() -> None:
    assert total_of({"sku": "é", "note": "no qty"}, {"sku": "é", "qty": 3}) == {"sku": "é", "note": "no qty", "qty": 3}


@pytest.mark.parametrize("quantity", [None, "3", True, [3]])
def test_a_quantity_that_is_not_a_number_counts_as_zero(quantity: Any) -> None:
    assert OrderLine({"qty": quantity}).quantity == 0


@given(st.lists(lines, min_size=2))
def test_the_total_is_the_sum_of_the_quantities(some: list[dict[str, Any]]) -> None:
    first = dict(some[0])
    assert total_of(*some) == {**first, "qty": sum(line.get("qty", 0) for line in some)}
    assert some[0] == first
