import random
from collections.abc import Callable
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.retail import Customer, CustomerPurchase, CustomerRow, CustomerUpdate, Purchase

ANN = Customer("c1", "Ann", "ann@example.com", "Oslo")
BOB = Customer("c2", "Bob")


names = st.builds(Customer, st.just("c1"), st.sampled_from(["Ann", "Anna", "Anne"]))
changes = st.lists(st.one_of(names, st.none()), max_size=8).map(
    lambda rows: [CustomerUpdate(position, row) for position, row in enumerate(rows)]
)


def test_the_row_is_the_one_after_the_change() -> None:
    assert CustomerRow().apply(CustomerUpdate(7, ANN)) == CustomerRow(ANN, 7)


def test_a_deleted_row_is_gone_and_the_position_of_the_deletion_is_kept() -> None:
    assert CustomerRow(ANN, 7).apply(CustomerUpdate(8)) == CustomerRow(None, 8)


@pytest.mark.parametrize(
    ("create", "reason"),
    [
        (lambda: Customer("", "Ann"), "id is ''; it must be a text that is not empty"),
        (lambda: Customer("c1", " "), "name is ' '; it must be a text that is not empty"),
        (lambda: CustomerUpdate(-1), "position is -1; it must be a whole number of at least 0"),
        (lambda: Purchase("", "lamp", 1.0), "customer is ''; it must be a text that is not empty"),
        (lambda: Purchase("c1", "lamp", 0.0), "amount is 0.0; it must be a number above 0"),
    ],
)
def test_what_cannot_be_true_cannot_be_created(create: Callable[[], object], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        create()


@given(changes, st.integers(0, 8))
def test_repeated_changes_leave_the_row_unchanged(of_row: list[CustomerUpdate], again_from: int) -> None:
    row = reduce(CustomerRow.apply, of_row, CustomerRow())
    assert reduce(CustomerRow.apply, of_row[again_from:], row) == row


@given(changes, st.integers())
def test_the_latest_change_determines_the_row_whatever_the_order_of_arrival(of_row: list[CustomerUpdate], seed: int) -> None:
    shuffled = random.Random(seed).sample(of_row, len(of_row))
    assert reduce(CustomerRow.apply, shuffled, CustomerRow()) == reduce(CustomerRow.apply, of_row, CustomerRow())


def test_of_two_changes_with_the_same_position_the_later_to_arrive_counts() -> None:
    assert CustomerRow(ANN, 7).apply(CustomerUpdate(7, BOB)) == CustomerRow(BOB, 7)


def test_a_purchase_is_joined_with_the_row_of_the_customer() -> None:
    purchase = Purchase("c1", "lamp", 30.0)
    assert CustomerPurchase.of(purchase, CustomerRow(ANN, 7)) == CustomerPurchase("c1", "Ann", "Oslo", "lamp", 30.0)


@pytest.mark.parametrize("row", [None, CustomerRow(None, 8)], ids=["never in the table", "deleted"])
def test_a_purchase_of_a_customer_who_is_not_in_the_table_has_no_name(row: CustomerRow | None) -> None:
    assert CustomerPurchase.of(Purchase("c1", "lamp", 30.0), row) == CustomerPurchase("c1", None, None, "lamp", 30.0)
