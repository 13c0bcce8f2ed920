from hypothesis import given
from hypothesis import strategies as st

from eddyline.domain.hospitality import (
    Booking,
    Cancellation,
    Change,
    Confirmation,
    GuestReservations,
    Happening,
    Reservation,
)
from tests.domain.hospitality.facts import BOOKING, JULY, JUNE, MAY, Fact, apply, facts, reservations_of


@given(st.lists(facts), st.data())
def test_the_view_depends_neither_on_the_order_of_facts_nor_on_repetitions(of_guest: list[Fact], data: st.DataObject) -> None:
    repeated = data.draw(st.permutations([*of_guest, *of_guest[::2]]))
    assert reservations_of(repeated).view("ann") == reservations_of(of_guest).view("ann")


@given(st.lists(facts))
def test_every_fact_is_in_the_story_once_in_order_of_time(of_guest: list[Fact]) -> None:
    story = reservations_of(of_guest).view("ann").story
    assert [happening.at for happening in story] == sorted(happening.at for happening in story)
    changes = {fact for fact in of_guest if isinstance(fact, Change)}
    bookings = {fact for fact in of_guest if isinstance(fact, Booking)}
    rejected = [happening.what.startswith("rejected booking") for happening in story]
    assert sum(rejected) == len(bookings) - len({booking.reservation for booking in bookings})
    assert sum(happening.what.startswith(("changed", "rejected")) for happening in story) == len(changes) + sum(rejected)
    for kind, what in ((Booking, "booked"), (Cancellation, "cancelled"), (Confirmation, "confirmed")):
        reservations = [happening.reservation for happening in story if happening.what.startswith(what)]
        assert sorted(reservations) == sorted({fact.reservation for fact in of_guest if isinstance(fact, kind)})


def test_the_story_says_what_happened() -> None:
    view = reservations_of(
        [
            Cancellation("r1", 5_000, "ill"),
            Change("r1", 3_000, "14", JUNE, JULY),
            Confirmation("r1", 2_000),
            BOOKING,
            Change("r1", 4_000, arrival=JULY),
            Cancellation("r2", 6_000),
        ]
    ).view("ann")
    assert view.guest == "ann"
    assert view.story == (
        Happening(1_000, "r1", "booked room 12 in Astoria from 2026-05-01 to 2026-06-01"),
        Happening(2_000, "r1", "confirmed"),
        Happening(3_000, "r1", "changed room 14, arrival 2026-06-01, departure 2026-07-01"),
        Happening(4_000, "r1", "rejected arrival 2026-07-01, since no night would be left"),
        Happening(5_000, "r1", "cancelled: ill"),
        Happening(6_000, "r2", "cancelled"),
    )


def test_reservations_are_ordered_by_number() -> None:
    of_guest = reservations_of([Booking("r2", 1, "Bristol", "7", MAY, JUNE), BOOKING])
    assert [view.reservation for view in of_guest.view("ann").reservations] == ["r1", "r2"]


def test_a_guest_without_reservations_has_an_empty_view() -> None:
    assert GuestReservations().view("ann").reservations == ()


@given(st.lists(facts))
def test_applying_facts_leaves_the_original_reservations_unchanged(of_guest: list[Fact]) -> None:
    before = reservations_of([BOOKING])
    for fact in of_guest:
        apply(before, fact)
    assert before == GuestReservations({"r1": Reservation(BOOKING)})


def test_reservations_have_a_hash() -> None:
    assert len({reservations_of([BOOKING]), reservations_of([BOOKING]), GuestReservations()}) == 2
