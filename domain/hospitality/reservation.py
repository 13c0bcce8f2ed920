"""A reservation: what was booked, changed, cancelled and confirmed, in whatever order these facts become known.

All times are milliseconds since the epoch, and `at` is when the guest or the hotel acted, not when it became known.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Literal, TypeAlias, TypeVar

from eddyline.domain.value import at_least, not_empty, value

State: TypeAlias = Literal["unknown", "requested", "confirmed", "cancelled"]
"""The state of a reservation; it is unknown while the booking is not known but other facts are."""

ConfirmationState: TypeAlias = Literal["not owed", "owed", "settled", "missed"]
"""The state of a booking's confirmation: settled by a confirmation or a cancellation in time, missed if both are too late."""


@value
class Booking:
    """A guest requests a room from the day of arrival to the day of departure."""

    reservation: str
    at: int
    hotel: str
    room: str
    arrival: date
    departure: date

    def __post_init__(self) -> None:
        not_empty(reservation=self.reservation, hotel=self.hotel, room=self.room)
        at_least(0, at=self.at)
        _check_stay(self.arrival, self.departure)

    @property
    def details(self) -> str:
        """What the guest requests, as in `room 14 in Astoria from 2026-05-01 to 2026-05-03`."""
        return f"room {self.room} in {self.hotel} from {self.arrival} to {self.departure}"


@value
class Change:
    """A guest requests a change of a booking; None leaves what was booked."""

    reservation: str
    at: int
    room: str | None = None
    arrival: date | None = None
    departure: date | None = None

    def __post_init__(self) -> None:
        not_empty(reservation=self.reservation)
        at_least(0, at=self.at)
        if self.room is not None:
            not_empty(room=self.room)
        if self.room is None and self.arrival is None and self.departure is None:
            raise ValueError("the change names neither a room nor an arrival nor a departure; it must name one of them")
        if self.arrival is not None and self.departure is not None:
            _check_stay(self.arrival, self.departure)

    @property
    def details(self) -> str:
        """What the guest requests, as in `room 14, arrival 2026-05-01`."""
        named = (("room", self.room), ("arrival", self.arrival), ("departure", self.departure))
        return ", ".join(f"{name} {detail}" for name, detail in named if detail is not None)


@value
class Cancellation:
    """A guest cancels a reservation, which is final."""

    reservation: str
    at: int
    reason: str | None = None

    def __post_init__(self) -> None:
        not_empty(reservation=self.reservation)
        at_least(0, at=self.at)


@value
class Confirmation:
    """The hotel confirms a booking."""

    reservation: str
    at: int

    def __post_init__(self) -> None:
        not_empty(reservation=self.reservation)
        at_least(0, at=self.at)


@value
class Happening:
    """An entry of a guest's story."""

    at: int
    reservation: str
    what: str


@value
class ReservationView:
    """The current state of a reservation with its changes applied; None is what is not known."""

    reservation: str
    state: State
    hotel: str | None
    room: str | None
    arrival: date | None
    departure: date | None

    @property
    def leaves_no_night(self) -> bool:
        """Whether the guest would not stay a night."""
        return self.arrival is not None and self.departure is not None and self.departure <= self.arrival


@value
class Reservation:
    """The facts known about one reservation. The same facts give the same reservation, in any order and however often."""

    booking: Booking | None = None
    changes: tuple[Change, ...] = ()
    cancellation: Cancellation | None = None
    confirmation: Confirmation | None = None
    rejected: tuple[Booking, ...] = ()

    def book(self, booking: Booking) -> "Reservation":
        """Return the reservation after a booking; of several bookings the earliest counts, and the others are rejected."""
        known = {booking, *self.rejected} if self.booking is None else {booking, self.booking, *self.rejected}
        first, *others = sorted(known, key=_by_time)
        return replace(self, booking=first, rejected=tuple(others))

    def change(self, change: Change) -> "Reservation":
        """Return the reservation after a change; a repeated one has no effect."""
        return replace(self, changes=tuple(sorted({*self.changes, change}, key=_by_time)))

    def cancel(self, cancellation: Cancellation) -> "Reservation":
        """Return the reservation after a cancellation, which is final; of several cancellations the earliest counts."""
        return replace(self, cancellation=_earliest(self.cancellation, cancellation))

    def confirm(self, confirmation: Confirmation) -> "Reservation":
        """Return the reservation after the hotel confirmed it; of several confirmations the earliest counts."""
        return replace(self, confirmation=_earliest(self.confirmation, confirmation))

    @property
    def state(self) -> State:
        """The state that follows from the known facts."""
        if self.cancellation is not None:
            return "cancelled"
        if self.booking is None:
            return "unknown"
        return "requested" if self.confirmation is None else "confirmed"

    def confirmation_state(self, limit_ms: int) -> ConfirmationState:
        """Return the state of the confirmation, which is due `limit_ms` after the booking and not owed while that is unknown."""
        if self.booking is None:
            return "not owed"
        answers = [answer.at for answer in (self.confirmation, self.cancellation) if answer is not None]
        if not answers:
            return "owed"
        return "settled" if min(answers) <= self.booking.at + limit_ms else "missed"

    def view(self, reservation: str) -> ReservationView:
        """Return the current state of the reservation; of two changes of the same detail the later one counts."""
        return self._changed(reservation)[0]

    def _changed(self, reservation: str) -> tuple[ReservationView, frozenset[Change]]:
        """Return the current state, and the changes that are rejected, since they would leave the guest no night."""
        booked = self.booking
        current = ReservationView(
            reservation,
            self.state,
            booked.hotel if booked else None,
            booked.room if booked else None,
            booked.arrival if booked else None,
            booked.departure if booked else None,
        )
        rejected = set()
        for change in self.changes:
            changed = replace(
                current,
                room=change.room or current.room,
                arrival=change.arrival or current.arrival,
                departure=change.departure or current.departure,
            )
            if changed.leaves_no_night:
                rejected.add(change)
            else:
                current = changed
        return current, frozenset(rejected)

    def happenings(self) -> Iterator[Happening]:
        """Return the reservation's entries of the guest's story."""
        if self.booking is not None:
            booked = self.booking
            yield Happening(booked.at, booked.reservation, f"booked {booked.details}")
        for other in self.rejected:
            yield Happening(other.at, other.reservation, f"rejected booking of {other.details}, since the reservation exists")
        for change in self.changes:
            is_rejected = change in self._changed(change.reservation)[1]
            what = f"rejected {change.details}, since no night would be left" if is_rejected else f"changed {change.details}"
            yield Happening(change.at, change.reservation, what)
        if self.confirmation is not None:
            yield Happening(self.confirmation.at, self.confirmation.reservation, "confirmed")
        if self.cancellation is not None:
            reason = f": {self.cancellation.reason}" if self.cancellation.reason else ""
            yield Happening(self.cancellation.at, self.cancellation.reservation, f"cancelled{reason}")


_Fact = TypeVar("_Fact", Cancellation, Confirmation)


def _earliest(known: _Fact | None, new: _Fact) -> _Fact:
    return new if known is None else min(known, new, key=_by_time)


def _check_stay(arrival: date, departure: date) -> None:
    if departure <= arrival:
        raise ValueError(f"departure is {departure}; it must be after the arrival, {arrival}: a stay is of at least one night")


def _by_time(fact: Booking | Change | Cancellation | Confirmation) -> tuple[int, str]:
    return fact.at, repr(fact)
