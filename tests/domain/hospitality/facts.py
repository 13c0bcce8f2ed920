"""Facts about reservations, and the reservations that follow from them."""

from collections.abc import Iterable
from datetime import date
from functools import reduce
from typing import TypeAlias

from hypothesis import strategies as st

from eddyline.domain.hospitality import Booking, Cancellation, Change, Confirmation, GuestReservations, Reservation

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
    st.builds(Booking, numbers, times, st.just("Astoria"), rooms, st.just(MAY), st.sampled_from([JUNE, JULY])),
    st.builds(Change, numbers, times, rooms, st.none() | days),
    st.builds(Change, numbers, times, st.none(), st.sampled_from([MAY, JUNE]), st.just(JULY)),
    st.builds(Cancellation, numbers, times, st.none() | st.just("ill")),
    st.builds(Confirmation, numbers, times),
)


def apply(reservations: GuestReservations, fact: Fact) -> GuestReservations:
    """Return the reservations after a fact."""
    match fact:
        case Booking():
            return reservations.book(fact)
        case Change():
            return reservations.change(fact)
        case Cancellation():
            return reservations.cancel(fact)
        case Confirmation():
            return reservations.confirm(fact)


def reservations_of(facts: Iterable[Fact]) -> GuestReservations:
    """Return the reservations of a guest after these facts."""
    return reduce(apply, facts, GuestReservations())


def reservation_of(facts: Iterable[Fact]) -> Reservation:
    """Return the reservation r1 after these facts."""
    return reservations_of(facts).by_number["r1"]
