"""Change events in the format of Debezium, and the changes that they are."""

import pytest

from eddyline.application.samples.retail.debezium import ChangeSource, CustomerChange, RejectedChange
from eddyline.domain.retail import Customer, CustomerUpdate

ANN = Customer("c1", "Ann", "ann@example.com", "Oslo")
BOB = Customer("c2", "Bob")


def changed(op: str, after: Customer | None) -> CustomerChange:
    return CustomerChange(op, ChangeSource(7), after=after)


@pytest.mark.parametrize("op", ["c", "u", "r"])
def test_a_created_updated_or_snapshot_row_is_the_one_after_the_change(op: str) -> None:
    assert changed(op, ANN).rejection("c1") is None
    assert changed(op, ANN).update() == CustomerUpdate(7, ANN)


def test_a_change_has_a_position() -> None:
    with pytest.raises(ValueError, match="lsn is -1; it must be a whole number of at least 0"):
        ChangeSource(-1)


def test_a_deleted_row_is_gone() -> None:
    event = CustomerChange("d", ChangeSource(8), before=ANN)
    assert event.rejection("c1") is None
    assert event.update() == CustomerUpdate(8)


@pytest.mark.parametrize(
    ("event", "key", "reason"),
    [
        (changed("c", ANN), None, "it names no row"),
        (changed("t", None), "c1", "operation 't' is unknown; there are: c, u, d, r"),
        (changed("d", ANN), "c1", "a deleted row has nothing after"),
        (changed("u", None), "c1", "the row after the change is missing"),
        (changed("c", BOB), "c1", "the row after the change is 'c2', not 'c1'"),
    ],
)
def test_an_invalid_event_is_rejected_with_the_reason(event: CustomerChange, key: str | None, reason: str) -> None:
    assert event.rejection(key) == RejectedChange(reason, event)
