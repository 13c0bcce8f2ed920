"""Detection of robots and of malware."""

from eddyline.domain.security.beaconing import MOST_CALLS, Beacon, Calls, Connection, KnownDestination, Route
from eddyline.domain.security.browser_actions import (
    BrowserActions,
    CaptchaRequest,
    CaptchaRequestInWindow,
    SolvedCaptcha,
    TimeSpan,
)

__all__ = [
    "MOST_CALLS",
    "Beacon",
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
