import pytest

from eddyline.application.flows.alerts import AlertMessage
from eddyline.application.samples.security.alerts import BEACONS
from eddyline.domain.security import Beacon

MORNING = 1_780_214_400_000
"""2026-05-31, 8:00 UTC."""


def test_the_message_about_a_beacon_names_its_interval_and_variation() -> None:
    beacon = Beacon("pc-7", "evil.example", 12, 300_400.0, 0.0213, MORNING, MORNING + 3_300_000)
    assert BEACONS.message("evil.example", beacon) == AlertMessage(
        f"pc-7/evil.example/{MORNING}",
        "pc-7 calls evil.example suspiciously regularly",
        "pc-7 called evil.example 12 times from 2026-05-31 08:00:00 UTC to 2026-05-31 08:55:00 UTC, every 300 s,"
        " with a variation of only 2.1 %. The destination is not in the list of known destinations.",
    )


@pytest.mark.parametrize(
    ("interval_ms", "shown"), [(300_600.0, "every 301 s"), (1_499.0, "every 1 s"), (3_600_000.0, "every 3600 s")]
)
def test_an_interval_is_rounded_to_the_nearest_second(interval_ms: float, shown: str) -> None:
    assert f"{shown}, with" in BEACONS.message(None, Beacon("pc-7", "evil.example", 12, interval_ms, 0.0, MORNING, MORNING)).body
