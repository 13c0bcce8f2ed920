import pytest

from eddyline.application.flows.alerts import AlertMessage
from eddyline.application.samples.operations.alerts import MAINTENANCE_REQUESTS, OVERLOADS
from eddyline.domain.operations import MaintenanceRequest, Overload, Sign

MORNING = 1_780_214_400_000
"""2026-05-31, 8:00 UTC."""


@pytest.mark.parametrize(
    ("sign", "why"),
    [
        ("rising", "Its temperature and its vibration have been rising together since 2026-05-31 08:00:00 UTC."),
        ("silent", "Nothing has been heard from it since 2026-05-31 08:00:00 UTC."),
    ],
)
def test_the_message_about_a_machine_names_the_sign_that_it_shows(sign: Sign, why: str) -> None:
    assert MAINTENANCE_REQUESTS.message("press", MaintenanceRequest("press", sign, MORNING)) == AlertMessage(
        f"press/{sign}/{MORNING}", "Maintenance of press", f"Please look after press. {why}"
    )


@pytest.mark.parametrize("at", [10**18, -(10**18), 10**30])
def test_a_time_outside_the_calendar_is_shown_in_milliseconds(at: int) -> None:
    assert f"since {at} ms after 1970." in MAINTENANCE_REQUESTS.message(None, MaintenanceRequest("press", "silent", at)).body


def test_the_message_about_an_overload_names_the_load_and_the_limit() -> None:
    assert OVERLOADS.message("basket", Overload("basket", MORNING, 97.4, 90.0)) == AlertMessage(
        f"basket/{MORNING}",
        "basket is overloaded",
        "The 99th percentile of the load of basket since 2026-05-31 08:00:00 UTC is 97 %, above 90 %.",
    )
