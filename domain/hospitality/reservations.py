"""Reservations of hotel guests: what was booked, changed, cancelled and confirmed, whatever order it becomes known in.

All times are milliseconds since the epoch, and `at` is when the guest or the hotel acted, not when it became known.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Literal, TypeAlias, TypeVar

from eddyline.domain.value import value

State: TypeAlias = Literal["unknown", "requested", "confirmed", "cancelled"]
"""How a reservation stands; `unknown` is one that is spoken of before its booking has come."""

ConfirmationState: TypeAlias = Literal["not owed", "owed", "settled", "missed"]
"""How the confirmation of a booking stands: settled by a confirmation or a cancellation in time, missed by a later one."""


@value
class Booking:
    """A guest asks for a room from the day of arrival to the day of departure."""

    reservation: str
    at: int
    hotel: str
    room: str
    arrival: date
    departure: date


@value
class Change:
    """A guest asks for something else in place of what was booked; None leaves it as it is."""

    reservation: str
    at: int
    room: str | None = None
    arrival: date | None = None
    departure: date | None = None


@value
class Cancellation:
    """A guest gives a reservation up, for good."""

    reservation: str
    at: int
    reason: str | None = None


@value
class Confirmation:
    """The hotel confirms a booking."""

    reservation: str
    at: int


@value
class MissedConfirmation:
    """A booking that was not confirmed in time, and when its confirmation was due."""

    guest: str
    reservation: str
    hotel: str
    booked_at: int
    due_at: int


@value
class OwedConfirmation:
    """A confirmation that is waited for, until a time by the clock that it is waited by, and what is told when it is missed."""

    until: int
    missed: MissedConfirmation


@value
class Happening:
    """A line of a guest's story."""

    at: int
    reservation: str
    what: str


@value
class ReservationView:
    """A reservation as it stands, all changes made; None is what is not known."""

    reservation: str
    state: State
    hotel: str | None
    room: str | None
    arrival: date | None
    departure: date | None


@value
class GuestView:
    """All that customer service sees of a guest: every reservation as it stands, and what happened, in order of time."""

    guest: str
    reservations: tuple[ReservationView, ...]
    story: tuple[Happening, ...]


@value
class Reservation:
    """What is known of one reservation. The same facts give the same reservation, in any order and however often they come."""

    booking: Booking | None = None
    changes: tuple[Change, ...] = ()
    cancellation: Cancellation | None = None
    confirmation: Confirmation | None = None

    @property
    def state(self) -> State:
        """How it stands."""
        if self.cancellation is not None:
            return "cancelled"
        if self.booking is None:
            return "unknown"
        return "requested" if self.confirmation is None else "confirmed"

    def confirmation_state(self, limit_ms: int) -> ConfirmationState:
        """How its confirmation stands when it is due `limit_ms` after the booking; while that is not known, none is owed."""
        if self.booking is None:
            return "not owed"
        answers = [answer.at for answer in (self.confirmation, self.cancellation) if answer is not None]
        if not answers:
            return "owed"
        return "settled" if min(answers) <= self.booking.at + limit_ms else "missed"

    def missed_confirmation(self, guest: str, limit_ms: int) -> MissedConfirmation | None:
        """What is to be told if its confirmation is missed; None while the booking is not known."""
        booked = self.booking
        if booked is None:
            return None
        return MissedConfirmation(guest, booked.reservation, booked.hotel, booked.at, booked.at + limit_ms)

    def view(self, reservation: str) -> ReservationView:
        """The reservation as it stands: of two changes of one thing the one that was asked for later holds."""
        booked = self.booking
        seen = ReservationView(
            reservation,
            self.state,
            booked.hotel if booked else None,
            booked.room if booked else None,
            booked.arrival if booked else None,
            booked.departure if booked else None,
        )
        for change in self.changes:
            seen = replace(
                seen,
                room=change.room or seen.room,
                arrival=change.arrival or seen.arrival,
                departure=change.departure or seen.departure,
            )
        return seen

    def happenings(self) -> Iterator[Happening]:
        """What happened to it."""
        if self.booking is not None:
            booked = self.booking
            told = f"booked room {booked.room} in {booked.hotel} from {booked.arrival} to {booked.departure}"
            yield Happening(booked.at, booked.reservation, told)
        for change in self.changes:
            asked = (("room", change.room), ("arrival", change.arrival), ("departure", change.departure))
            wishes = ", ".join(f"{what} {wish}" for what, wish in asked if wish is not None)
            yield Happening(change.at, change.reservation, f"changed {wishes or 'nothing'}")
        if self.confirmation is not None:
            yield Happening(self.confirmation.at, self.confirmation.reservation, "confirmed")
        if self.cancellation is not None:
            reason = f": {self.cancellation.reason}" if self.cancellation.reason else ""
            yield Happening(self.cancellation.at, self.cancellation.reservation, f"cancelled{reason}")


Reservations: TypeAlias = dict[str, Reservation]
"""The reservations of one guest by their numbers."""


def no_reservations() -> Reservations:
    """The reservations of a guest who has none."""
    return {}


def book(known: Reservations, booking: Booking) -> Reservations:
    """The reservations after a booking; of several for one reservation the earliest holds."""
    before = known.get(booking.reservation, Reservation())
    return {**known, booking.reservation: replace(before, booking=_earliest(before.booking, booking))}


def change(known: Reservations, asked: Change) -> Reservations:
    """The reservations after a change; one that was known already changes nothing."""
    before = known.get(asked.reservation, Reservation())
    changes = tuple(sorted({*before.changes, asked}, key=_by_time))
    return {**known, asked.reservation: replace(before, changes=changes)}


def cancel(known: Reservations, cancellation: Cancellation) -> Reservations:
    """The reservations after a cancellation, which holds whatever else becomes known."""
    before = known.get(cancellation.reservation, Reservation())
    return {**known, cancellation.reservation: replace(before, cancellation=_earliest(before.cancellation, cancellation))}


def confirm(known: Reservations, confirmation: Confirmation) -> Reservations:
    """The reservations after the hotel confirmed one; of several confirmations the earliest holds."""
    before = known.get(confirmation.reservation, Reservation())
    return {**known, confirmation.reservation: replace(before, confirmation=_earliest(before.confirmation, confirmation))}


def guest_view(guest: str, known: Reservations) -> GuestView:
    """All that is known of a guest at once, reservations by their numbers."""
    views = tuple(known[reservation].view(reservation) for reservation in sorted(known))
    story = sorted((line for reservation in known.values() for line in reservation.happenings()), key=_by_time)
    return GuestView(guest, views, tuple(story))


_Fact = TypeVar("_Fact", Booking, Cancellation, Confirmation)


def _earliest(known: _Fact | None, new: _Fact) -> _Fact:
    return new if known is None else min(known, new, key=_by_time)


def _by_time(fact: Booking | Change | Cancellation | Confirmation | Happening) -> tuple[int, str]:
    return fact.at, repr(fact)
