import pytest

from eddyline.domain.beaconing import Beacon
from eddyline.domain.letters import (
    Letter,
    beacon_letter,
    maintenance_letter,
    missed_confirmation_letter,
    popular_page_letter,
)
from eddyline.domain.maintenance import MaintenanceRequest, Sign
from eddyline.domain.page_views import PopularPage
from eddyline.domain.reservations import MissedConfirmation

MORNING = 1_780_214_400_000


def test_a_popular_page_is_told_once_whatever_the_number_of_views() -> None:
    letter = popular_page_letter("/shoes", PopularPage("/shoes", 1000))
    assert letter == Letter("/shoes", "/shoes is popular", "The page /shoes has been seen 1000 times.")
    assert popular_page_letter(None, PopularPage("/shoes", 2000)).identity == letter.identity


def test_a_missed_confirmation_is_told_once_a_reservation() -> None:
    missed = MissedConfirmation("ann", "r1", "Astoria", MORNING, MORNING + 60_000)
    assert missed_confirmation_letter("ann", missed) == Letter(
        "ann/r1",
        "Reservation r1 is not confirmed",
        "Astoria has not confirmed reservation r1 of guest ann.\n"
        "Booked 2026-05-31 08:00:00 UTC, the confirmation was due 2026-05-31 08:01:00 UTC.",
    )


@pytest.mark.parametrize(
    ("sign", "why"),
    [
        ("rising", "Its temperature and its vibration have been rising together since 2026-05-31 08:00:00 UTC."),
        ("silent", "Nothing has been heard of it since 2026-05-31 08:00:00 UTC."),
    ],
)
def test_a_machine_is_told_of_with_the_sign_that_it_shows(sign: Sign, why: str) -> None:
    assert maintenance_letter("press", MaintenanceRequest("press", sign, MORNING)) == Letter(
        f"press/{sign}/{MORNING}", "Maintenance of press", f"Please look after press. {why}"
    )


def test_a_beacon_is_told_with_its_interval_and_variation() -> None:
    beacon = Beacon("pc-7", "evil.example", 12, 300_400.0, 0.0213, MORNING, MORNING + 3_300_000)
    assert beacon_letter("evil.example", beacon) == Letter(
        f"pc-7/evil.example/{MORNING}",
        "pc-7 calls evil.example suspiciously regularly",
        "pc-7 called evil.example 12 times from 2026-05-31 08:00:00 UTC to 2026-05-31 08:55:00 UTC, every 300 s,"
        " with a variation of 2.1 % only. Nobody has told that this destination is known.",
    )


@pytest.mark.parametrize(
    ("interval_ms", "told"), [(300_600.0, "every 301 s"), (1_499.0, "every 1 s"), (3_600_000.0, "every 3600 s")]
)
def test_an_interval_is_told_to_the_nearest_second(interval_ms: float, told: str) -> None:
    assert f"{told}, with" in beacon_letter(None, Beacon("pc-7", "evil.example", 12, interval_ms, 0.0, MORNING, MORNING)).body


@pytest.mark.parametrize("at", [10**18, -(10**18), 10**30])
def test_a_time_that_no_calendar_has_is_told_in_milliseconds(at: int) -> None:
    assert f"since {at} ms after 1970." in maintenance_letter(None, MaintenanceRequest("press", "silent", at)).body
