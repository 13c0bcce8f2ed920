"""Confirmations that a hotel owes its guests, and those that it missed.

All times are milliseconds since the epoch.
"""

from typing import TypeAlias

from eddyline.domain.hospitality.reservation import Reservation
from eddyline.domain.value import at_least, value


@value
class NothingOwed:
    """The booking is not known, so no confirmation is owed."""


@value
class SettledConfirmation:
    """The booking was confirmed or cancelled in time."""


@value
class MissedConfirmation:
    """The booking was not confirmed in time; its confirmation was due at `due_at`."""

    guest: str
    reservation: str
    hotel: str
    booked_at: int
    due_at: int


@value
class OwedConfirmation:
    """The confirmation is awaited until a time of the clock that measures the waiting; `missed` is the fact if none comes."""

    until: int
    missed: MissedConfirmation

    def is_overdue(self, now: int) -> bool:
        """Decide whether the time to wait is over."""
        return self.until < now


ConfirmationFact: TypeAlias = NothingOwed | OwedConfirmation | SettledConfirmation | MissedConfirmation
"""What follows from a reservation and the time."""


@value
class ConfirmationTerms:
    """How soon a hotel has to confirm: within `within_ms` of the booking. `grace_ms` is added for answers that arrive late."""

    within_ms: int
    grace_ms: int = 0

    def __post_init__(self) -> None:
        at_least(0, within_ms=self.within_ms, grace_ms=self.grace_ms)

    def review(
        self,
        guest: str,
        reservation: Reservation,
        *,
        now: int,
        waiting: OwedConfirmation | None = None,
        waiting_from: int | None = None,
    ) -> ConfirmationFact:
        """Decide what follows from a reservation.

        Args:
            guest: The guest who booked.
            reservation: The reservation.
            now: The time of the clock that measures the waiting.
            waiting: The confirmation as it was owed before, None if it was not.
            waiting_from: When the waiting starts by that clock if it has not yet; by default, at the time of the booking.
        """
        booking = reservation.booking
        if booking is None:
            return NothingOwed()
        state = reservation.confirmation_state(self.within_ms)
        if state == "settled":
            return SettledConfirmation()
        missed = MissedConfirmation(guest, booking.reservation, booking.hotel, booking.at, booking.at + self.within_ms)
        start = booking.at if waiting_from is None else waiting_from
        owed = OwedConfirmation(waiting.until if waiting else start + self.within_ms + self.grace_ms, missed)
        return owed if state == "owed" and not owed.is_overdue(now) else missed
