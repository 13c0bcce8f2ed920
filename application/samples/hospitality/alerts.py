"""The messages about bookings that were not confirmed in time."""

from eddyline.application.flows.alerts import AlertMessage, AlertTopic
from eddyline.application.samples.alert_times import readable_time
from eddyline.domain.hospitality import MissedConfirmation


def missed_confirmation_message(_guest: str | None, missed: MissedConfirmation) -> AlertMessage:
    """Return the message that a booking was not confirmed in time."""
    return AlertMessage(
        f"{missed.guest}/{missed.reservation}",
        f"Reservation {missed.reservation} is not confirmed",
        f"{missed.hotel} has not confirmed reservation {missed.reservation} of guest {missed.guest}.\n"
        f"Booked {readable_time(missed.booked_at)}, the confirmation was due {readable_time(missed.due_at)}.",
    )


MISSED_CONFIRMATIONS = AlertTopic("missed-confirmations", str, MissedConfirmation, missed_confirmation_message)
