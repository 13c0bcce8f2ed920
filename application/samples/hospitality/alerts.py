"""The messages about bookings that were not confirmed in time."""

from eddyline import Alert
from eddyline.application.samples.alert_times import readable_time
from eddyline.domain.hospitality import MissedConfirmation


def _reservation(missed: MissedConfirmation) -> str:
    return f"{missed.guest}/{missed.reservation}"


def _subject(missed: MissedConfirmation) -> str:
    return f"Reservation {missed.reservation} is not confirmed"


def _body(missed: MissedConfirmation) -> str:
    return (
        f"{missed.hotel} has not confirmed reservation {missed.reservation} of guest {missed.guest}.\n"
        f"Booked {readable_time(missed.booked_at)}, the confirmation was due {readable_time(missed.due_at)}."
    )


MISSED_CONFIRMATIONS = Alert(
    "missed-confirmations", to="reservations@example.org", subject=_subject, body=_body, identity=_reservation
)
