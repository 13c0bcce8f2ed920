"""All reservations of a guest."""

from dataclasses import field

from eddyline.domain.hospitality.reservation import (
    Booking,
    Cancellation,
    Change,
    Confirmation,
    Happening,
    Reservation,
    ReservationView,
)
from eddyline.domain.value import value


@value
class GuestView:
    """A guest as customer service sees them: the current state of every reservation, and what happened, in order of time."""

    guest: str
    reservations: tuple[ReservationView, ...]
    story: tuple[Happening, ...]


@value
class GuestReservations:
    """The reservations of one guest, by number. `GuestReservations()` has none."""

    by_number: dict[str, Reservation] = field(default_factory=dict)

    def book(self, booking: Booking) -> "GuestReservations":
        """Return the reservations after a booking."""
        return self._replaced(booking.reservation, self._reservation(booking.reservation).book(booking))

    def change(self, change: Change) -> "GuestReservations":
        """Return the reservations after a change of one of them."""
        return self._replaced(change.reservation, self._reservation(change.reservation).change(change))

    def cancel(self, cancellation: Cancellation) -> "GuestReservations":
        """Return the reservations after a cancellation of one of them."""
        return self._replaced(cancellation.reservation, self._reservation(cancellation.reservation).cancel(cancellation))

    def confirm(self, confirmation: Confirmation) -> "GuestReservations":
        """Return the reservations after the hotel confirmed one of them."""
        return self._replaced(confirmation.reservation, self._reservation(confirmation.reservation).confirm(confirmation))

    def view(self, guest: str) -> GuestView:
        """Return everything that is known about the guest; reservations are ordered by number."""
        views = tuple(self.by_number[number].view(number) for number in sorted(self.by_number))
        story = (happening for reservation in self.by_number.values() for happening in reservation.happenings())
        return GuestView(guest, views, tuple(sorted(story, key=_by_time)))

    def _reservation(self, number: str) -> Reservation:
        return self.by_number.get(number, Reservation())

    def _replaced(self, number: str, reservation: Reservation) -> "GuestReservations":
        return GuestReservations({**self.by_number, number: reservation})


def _by_time(happening: Happening) -> tuple[int, str]:
    return happening.at, repr(happening)
