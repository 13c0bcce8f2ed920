"""Security: browsers that may be robots, and hosts that may have malware."""

from eddyline.domain.security.beaconing import MAX_CALLS, Beacon, BeaconRules, Calls, Connection, KnownDestination, Route
from eddyline.domain.security.browser_actions import (
    BrowserActions,
    CaptchaRequest,
    CaptchaRequestInWindow,
    SolvedCaptcha,
    TimeSpan,
)

__all__ = [
    "MAX_CALLS",
    "Beacon",
    "BeaconRules",
    "BrowserActions",
    "Calls",
    "CaptchaRequest",
    "CaptchaRequestInWindow",
    "Connection",
    "KnownDestination",
    "Route",
    "SolvedCaptcha",
    "TimeSpan",
]
