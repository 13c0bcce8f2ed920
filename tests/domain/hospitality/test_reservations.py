from collections.abc import Iterable
from datetime import date
from functools import reduce
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.hospitality import (
    Booking,
    Cancellation,
    Change,
    Confirmation,
    Happening,
    MissedConfirmation,
    Reservation,
    Reservations,
    ReservationView,
    book,
    cancel,
    change,
    confirm,
    guest_view,
    no_reservations,
)

Fact: TypeAlias = Booking | Change | Cancellation | Confirmation

MAY = date(2026, 5, 1)
JUNE = date(2026, 6, 1)
JULY = date(2026, 7, 1)
BOOKING = Booking("r1", 1_000, "Astoria", "12", MAY, JUNE)

numbers = st.sampled_from(["r1", "r2"])
times = st.integers(0, 5)
rooms = st.sampled_from(["12", "14"])
days = st.sampled_from([MAY, JUNE, JULY])
facts = st.one_of(
    st.builds(Booking, numbers, times, st.just("Astoria"), rooms, days, days),
    st.builds(Change, numbers, times, st.none() | rooms, st.none() | days, st.none() | days),
    st.builds(Cancellation, numbers, times, st.none() | st.just("ill")),
    st.builds(Confirmation, numbers, times),
)


def known(facts: Iterable[Fact]) -> Reservations:
    return reduce(learn, facts, no_reservations())


def learn(reservations: Reservations, fact: Fact) -> Reservations:
    match fact:
        case Booking():
            return book(reservations, fact)
        case Change():
            return change(reservations, fact)
        case Cancellation():
            return cancel(reservations, fact)
        case Confirmation():
            return confirm(reservations, fact)


@given(st.lists(facts), st.data())
def test_facts_give_the_same_view_in_any_order_and_however_often_they_come(of_guest: list[Fact], data: st.DataObject) -> None:
    again = data.draw(st.permutations([*of_guest, *of_guest[::2]]))
    assert guest_view("ann", known(again)) == guest_view("ann", known(of_guest))


@given(st.lists(facts))
def test_every_fact_is_in_the_story_once_in_order_of_time(of_guest: list[Fact]) -> None:
    story = guest_view("ann", known(of_guest)).story
    assert [line.at for line in story] == sorted(line.at for line in story)
    changes = {fact for fact in of_guest if isinstance(fact, Change)}
    assert sum(line.what.startswith("changed") for line in story) == len(changes)
    for kind, what in ((Booking, "booked"), (Cancellation, "cancelled"), (Confirmation, "confirmed")):
        told = [line.reservation for line in story if line.what.startswith(what)]
        assert sorted(told) == sorted({fact.reservation for fact in of_guest if isinstance(fact, kind)})


def test_a_booking_is_requested_then_confirmed_and_cancelled_for_good() -> None:
    steps: list[Fact] = [BOOKING, Confirmation("r1", 2_000), Cancellation("r1", 3_000), Change("r1", 4_000, room="14")]
    states = [known(steps[:count])["r1"].state for count in range(1, 5)]
    assert states == ["requested", "confirmed", "cancelled", "cancelled"]


def test_a_reservation_is_seen_as_it_was_booked_and_a_change_replaces_only_what_it_names() -> None:
    (seen,) = guest_view("ann", known([BOOKING])).reservations
    assert seen == ReservationView("r1", "requested", "Astoria", "12", MAY, JUNE)
    (changed,) = guest_view("ann", known([BOOKING, Change("r1", 2_000, room="14")])).reservations
    assert changed == ReservationView("r1", "requested", "Astoria", "14", MAY, JUNE)


def test_what_is_spoken_of_before_its_booking_is_unknown_and_shows_what_is_known() -> None:
    (seen,) = guest_view("ann", known([Change("r1", 4_000, room="14")])).reservations
    assert (seen.state, seen.hotel, seen.room, seen.arrival, seen.departure) == ("unknown", None, "14", None, None)


def test_a_confirmation_before_its_booking_does_not_confirm_what_is_not_known() -> None:
    assert known([Confirmation("r1", 4_000)])["r1"].state == "unknown"


def test_changes_are_made_in_the_order_in_which_they_were_asked_for() -> None:
    (seen,) = guest_view(
        "ann",
        known(
            [
                Change("r1", 4_000, room="16", departure=JULY),
                BOOKING,
                Change("r1", 3_000, room="14", arrival=JUNE),
            ]
        ),
    ).reservations
    assert (seen.room, seen.arrival, seen.departure, seen.hotel) == ("16", JUNE, JULY, "Astoria")


def test_of_two_bookings_of_one_number_the_earliest_holds() -> None:
    later = Booking("r1", 1_001, "Bristol", "7", MAY, JUNE)
    assert known([later, BOOKING])["r1"].booking == BOOKING


def test_reservations_are_seen_in_the_order_of_their_numbers() -> None:
    of_guest = known([Booking("r2", 1, "Bristol", "7", MAY, JUNE), BOOKING])
    assert [seen.reservation for seen in guest_view("ann", of_guest).reservations] == ["r1", "r2"]


def test_the_story_tells_what_happened() -> None:
    view = guest_view(
        "ann",
        known(
            [
                Cancellation("r1", 5_000, "ill"),
                Change("r1", 3_000, "14", JUNE, JULY),
                Confirmation("r1", 2_000),
                BOOKING,
                Change("r1", 4_000),
                Cancellation("r2", 6_000),
            ]
        ),
    )
    assert view.guest == "ann"
    assert view.story == (
        Happening(1_000, "r1", "booked room 12 in Astoria from 2026-05-01 to 2026-06-01"),
        Happening(2_000, "r1", "confirmed"),
        Happening(3_000, "r1", "changed room 14, arrival 2026-06-01, departure 2026-07-01"),
        Happening(4_000, "r1", "changed nothing"),
        Happening(5_000, "r1", "cancelled: ill"),
        Happening(6_000, "r2", "cancelled"),
    )


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
    assert known(facts)["r1"].confirmation_state(60_000) == state


def test_a_missed_confirmation_tells_whose_and_when_it_was_due() -> None:
    booked = known([BOOKING])["r1"]
    assert booked.missed_confirmation("ann", 60_000) == MissedConfirmation("ann", "r1", "Astoria", 1_000, 61_000)
    assert Reservation().missed_confirmation("ann", 60_000) is None


@given(st.lists(facts))
def test_learning_leaves_what_was_known_as_it_is(of_guest: list[Fact]) -> None:
    before = known([BOOKING])
    for fact in of_guest:
        learn(before, fact)
    assert before == {"r1": Reservation(BOOKING)}
