from eddyline.application.flows.alerts import AlertMessage
from eddyline.application.samples.hospitality.alerts import MISSED_CONFIRMATIONS
from eddyline.domain.hospitality import MissedConfirmation

MORNING = 1_780_214_400_000
"""2026-05-31, 8:00 UTC."""


def test_a_missed_confirmation_has_one_message_per_reservation() -> None:
    missed = MissedConfirmation("ann", "r1", "Astoria", MORNING, MORNING + 60_000)
    assert MISSED_CONFIRMATIONS.message("ann", missed) == AlertMessage(
        "ann/r1",
        "Reservation r1 is not confirmed",
        "Astoria has not confirmed reservation r1 of guest ann.\n"
        "Booked 2026-05-31 08:00:00 UTC, the confirmation was due 2026-05-31 08:01:00 UTC.",
    )
