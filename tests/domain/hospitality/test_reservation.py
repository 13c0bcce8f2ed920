import pytest

from eddyline.domain.hospitality import Booking, Cancellation, Change, Confirmation, ReservationView
from tests.domain.hospitality.facts import BOOKING, JULY, JUNE, MAY, Fact, reservation_of


def view_of(*facts: Fact) -> ReservationView:
    return reservation_of(facts).view("r1")


def test_a_booking_is_requested_then_confirmed_and_a_cancellation_is_final() -> None:
    facts: list[Fact] = [BOOKING, Confirmation("r1", 2_000), Cancellation("r1", 3_000), Change("r1", 4_000, room="14")]
    states = [reservation_of(facts[:count]).state for count in range(1, 5)]
    assert states == ["requested", "confirmed", "cancelled", "cancelled"]


def test_a_change_replaces_only_the_details_that_it_names() -> None:
    assert view_of(BOOKING) == ReservationView("r1", "requested", "Astoria", "12", MAY, JUNE)
    assert view_of(BOOKING, Change("r1", 2_000, room="14")) == ReservationView("r1", "requested", "Astoria", "14", MAY, JUNE)


def test_a_reservation_is_unknown_until_its_booking_is_known_and_shows_the_other_facts() -> None:
    view = view_of(Change("r1", 4_000, room="14"))
    assert (view.state, view.hotel, view.room, view.arrival, view.departure) == ("unknown", None, "14", None, None)


def test_a_confirmation_without_a_booking_leaves_the_state_unknown() -> None:
    assert reservation_of([Confirmation("r1", 4_000)]).state == "unknown"


def test_changes_are_applied_in_the_order_in_which_they_were_requested() -> None:
    view = view_of(
        Change("r1", 4_000, room="16", departure=JULY),
        BOOKING,
        Change("r1", 3_000, room="14", arrival=JUNE),
    )
    assert (view.room, view.arrival, view.departure, view.hotel) == ("16", JUNE, JULY, "Astoria")


def test_the_earliest_of_several_bookings_counts() -> None:
    later = Booking("r1", 1_001, "Bristol", "7", MAY, JUNE)
    assert reservation_of([later, BOOKING]).booking == BOOKING


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ([BOOKING], "owed"),
        ([BOOKING, Confirmation("r1", 61_000)], "settled"),
        ([BOOKING, Confirmation("r1", 61_001)], "missed"),
        ([BOOKING, Cancellation("r1", 61_000)], "settled"),
        ([BOOKING, Cancellation("r1", 61_001)], "missed"),
        ([BOOKING, Confirmation("r1", 70_000), Cancellation("r1", 2_000)], "settled"),
        ([BOOKING, Change("r1", 2_000, room="14")], "owed"),
        ([Confirmation("r1", 99_000)], "not owed"),
    ],
)
def test_a_confirmation_is_owed_until_it_is_settled_or_missed(facts: list[Fact], state: str) -> None:
    assert reservation_of(facts).confirmation_state(60_000) == state
