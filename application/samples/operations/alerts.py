"""The messages about machines that need maintenance and services that are overloaded."""

from eddyline import Alert
from eddyline.application.samples.alert_times import readable_time
from eddyline.domain.operations import MaintenanceRequest, Overload

_SIGNS = {
    "rising": "Its temperature and its vibration have been rising together since {since}.",
    "silent": "Nothing has been heard from it since {since}.",
}


def _sign(request: MaintenanceRequest) -> str:
    return f"{request.device}/{request.sign}/{request.since}"


def _subject(request: MaintenanceRequest) -> str:
    return f"Maintenance of {request.device}"


def _body(request: MaintenanceRequest) -> str:
    return f"Please look after {request.device}. {_SIGNS[request.sign].format(since=readable_time(request.since))}"


MAINTENANCE_REQUESTS = Alert("maintenance-requests", to="maintenance@example.org", subject=_subject, body=_body, identity=_sign)
"""One message for each sign that a machine shows."""


def _window(overload: Overload) -> str:
    return f"{overload.service}/{overload.since}"


def _overloaded(overload: Overload) -> str:
    return f"{overload.service} is overloaded"


def _load(overload: Overload) -> str:
    load = f"The 99th percentile of the load of {overload.service} since {readable_time(overload.since)}"
    return f"{load} is {overload.p99:.0f} %, above {overload.limit:g} %."


OVERLOADS = Alert("overloads", to="operations@example.org", subject=_overloaded, body=_load, identity=_window)
"""One message for each window."""
