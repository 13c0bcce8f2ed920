import random
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.retail import ChangeSource, Customer, CustomerChange, CustomerPurchase, CustomerRow, Purchase, RejectedChange

ANN = Customer("c1", "Ann", "ann@example.com", "Oslo")
BOB = Customer("c2", "Bob")


def changed(op: str, lsn: int, after: Customer | None) -> CustomerChange:
    return CustomerChange(op, ChangeSource(lsn), after=after)


names = st.builds(Customer, st.just("c1"), st.sampled_from(["Ann", "Anna", "Anne"]))
changes = st.lists(st.one_of(names, st.none()), max_size=8).map(
    lambda rows: [changed("d" if row is None else "u", lsn, row) for lsn, row in enumerate(rows)]
)


@pytest.mark.parametrize("op", ["c", "u", "r"])
def test_a_created_updated_or_snapshot_row_is_the_one_after_the_change(op: str) -> None:
    change = changed(op, 7, ANN)
    assert change.rejection("c1") is None
    assert CustomerRow().apply(change) == CustomerRow(ANN, 7)


def test_a_deleted_row_is_gone_and_the_log_position_of_the_deletion_is_kept() -> None:
    change = CustomerChange("d", ChangeSource(8), before=ANN)
    assert change.rejection("c1") is None
    assert CustomerRow(ANN, 7).apply(change) == CustomerRow(None, 8)


@pytest.mark.parametrize(
    ("change", "key", "reason"),
    [
        (changed("c", 1, ANN), None, "it names no row"),
        (changed("t", 1, None), "c1", "operation 't' is unknown; there are: c, u, d, r"),
        (changed("d", 1, ANN), "c1", "a deleted row has nothing after"),
        (changed("u", 1, None), "c1", "the row after the change is missing"),
        (changed("c", 1, BOB), "c1", "the row after the change is 'c2', not 'c1'"),
    ],
)
def test_an_invalid_change_is_rejected_with_the_reason(change: CustomerChange, key: str | None, reason: str) -> None:
    assert change.rejection(key) == RejectedChange(reason, change)


@given(changes, st.integers(0, 8))
def test_repeated_changes_leave_the_row_unchanged(of_row: list[CustomerChange], again_from: int) -> None:
    row = reduce(CustomerRow.apply, of_row, CustomerRow())
    assert reduce(CustomerRow.apply, of_row[again_from:], row) == row


@given(changes, st.integers())
def test_the_latest_change_determines_the_row_whatever_the_order_of_arrival(of_row: list[CustomerChange], seed: int) -> None:
    shuffled = random.Random(seed).sample(of_row, len(of_row))
    assert reduce(CustomerRow.apply, shuffled, CustomerRow()) == reduce(CustomerRow.apply, of_row, CustomerRow())


def test_of_two_changes_with_the_same_log_position_the_later_to_arrive_counts() -> None:
    assert CustomerRow(ANN, 7).apply(changed("u", 7, BOB)) == CustomerRow(BOB, 7)


def test_a_purchase_is_joined_with_the_row_of_the_customer() -> None:
    purchase = Purchase("c1", "lamp", 30.0)
    assert CustomerPurchase.of(purchase, CustomerRow(ANN, 7)) == CustomerPurchase("c1", "Ann", "Oslo", "lamp", 30.0)


@pytest.mark.parametrize("row", [None, CustomerRow(None, 8)], ids=["never in the table", "deleted"])
def test_a_purchase_of_a_customer_who_is_not_in_the_table_has_no_name(row: CustomerRow | None) -> None:
    assert CustomerPurchase.of(Purchase("c1", "lamp", 30.0), row) == CustomerPurchase("c1", None, None, "lamp", 30.0)
