"""Hospitality: the reservations of hotel guests and the confirmations that they are owed."""

from eddyline.domain.hospitality.confirmation import (
    ConfirmationFact,
    ConfirmationTerms,
    MissedConfirmation,
    NothingOwed,
    OwedConfirmation,
    SettledConfirmation,
)
from eddyline.domain.hospitality.guest import GuestReservations, GuestView
from eddyline.domain.hospitality.reservation import (
    Booking,
    Cancellation,
    Change,
    Confirmation,
    Happening,
    Reservation,
    ReservationView,
)

__all__ = [
    "Booking",
    "Cancellation",
    "Change",
    "Confirmation",
    "ConfirmationFact",
    "ConfirmationTerms",
    "GuestReservations",
    "GuestView",
    "Happening",
    "MissedConfirmation",
    "NothingOwed",
    "OwedConfirmation",
    "Reservation",
    "ReservationView",
    "SettledConfirmation",
]
