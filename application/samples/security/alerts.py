"""The messages about beacons."""

from eddyline import Alert
from eddyline.application.samples.alert_times import readable_time
from eddyline.domain.security import Beacon


def _calls(beacon: Beacon) -> str:
    return f"{beacon.host}/{beacon.destination}/{beacon.first_at}"


def _subject(beacon: Beacon) -> str:
    return f"{beacon.host} calls {beacon.destination} suspiciously regularly"


def _body(beacon: Beacon) -> str:
    return (
        f"{beacon.host} called {beacon.destination} {beacon.calls} times from {readable_time(beacon.first_at)} to"
        f" {readable_time(beacon.last_at)}, every {beacon.interval_ms / 1000:.0f} s,"
        f" with a variation of only {beacon.variation * 100:.1f} %. The destination is not in the list of known destinations."
    )


BEACONS = Alert("beacons", to="security@example.org", subject=_subject, body=_body, identity=_calls)
"""One message for each series of calls."""
