"""The messages about beacons."""

from eddyline.application.flows.alerts import AlertMessage, AlertTopic
from eddyline.application.samples.alert_times import readable_time
from eddyline.domain.security import Beacon


def beacon_message(_destination: str | None, beacon: Beacon) -> AlertMessage:
    """Return the message that a host calls an unknown destination at suspiciously regular intervals."""
    return AlertMessage(
        f"{beacon.host}/{beacon.destination}/{beacon.first_at}",
        f"{beacon.host} calls {beacon.destination} suspiciously regularly",
        f"{beacon.host} called {beacon.destination} {beacon.calls} times from {readable_time(beacon.first_at)} to"
        f" {readable_time(beacon.last_at)}, every {beacon.interval_ms / 1000:.0f} s,"
        f" with a variation of only {beacon.variation * 100:.1f} %. The destination is not in the list of known destinations.",
    )


BEACONS = AlertTopic("beacons", str, Beacon, beacon_message)
