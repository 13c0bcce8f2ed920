from collections.abc import Callable
from datetime import date

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
        Change("r1", 3_000, room="14", arrival=date(2026, 5, 10)),
    )
    assert (view.room, view.arrival, view.departure, view.hotel) == ("16", date(2026, 5, 10), JULY, "Astoria")


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


@pytest.mark.parametrize(
    ("create", "reason"),
    [
        (
            lambda: Booking("r1", 1, "Astoria", "12", JUNE, JUNE),
            "departure is 2026-06-01; it must be after the arrival, 2026-06-01: a stay is of at least one night",
        ),
        (
            lambda: Change("r1", 1, arrival=JULY, departure=JUNE),
            "departure is 2026-06-01; it must be after the arrival, 2026-07-01: a stay is of at least one night",
        ),
        (lambda: Change("r1", 1), "the change names neither a room nor an arrival nor a departure; it must name one of them"),
        (lambda: Change("r1", 1, room=""), "room is ''; it must be a text that is not empty"),
        (lambda: Booking("", 1, "Astoria", "12", MAY, JUNE), "reservation is ''; it must be a text that is not empty"),
        (lambda: Cancellation("r1", -1), "at is -1; it must be a whole number of at least 0"),
        (lambda: Confirmation("", 1), "reservation is ''; it must be a text that is not empty"),
    ],
)
def test_what_cannot_be_true_cannot_be_created(create: Callable[[], object], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        create()


def test_a_change_that_leaves_no_night_is_rejected_as_a_whole_and_the_others_count() -> None:
    too_late = Change("r1", 2_000, room="14", arrival=JUNE)
    view = view_of(BOOKING, too_late, Change("r1", 3_000, departure=JULY))
    assert (view.room, view.arrival, view.departure) == ("12", MAY, JULY)
    later = view_of(BOOKING, Change("r1", 1_500, departure=JULY), too_late)
    assert (later.room, later.arrival, later.departure) == ("14", JUNE, JULY)
