"""The messages about machines that need maintenance and services that are overloaded."""

from eddyline.application.flows.alerts import AlertMessage, AlertTopic
from eddyline.application.samples.alert_times import readable_time
from eddyline.domain.operations import MaintenanceRequest, Overload

_SIGNS = {
    "rising": "Its temperature and its vibration have been rising together since {since}.",
    "silent": "Nothing has been heard from it since {since}.",
}


def maintenance_message(_device: str | None, request: MaintenanceRequest) -> AlertMessage:
    """Return the message that a machine needs maintenance, with the sign that it shows."""
    device = request.device
    why = _SIGNS[request.sign].format(since=readable_time(request.since))
    return AlertMessage(
        f"{device}/{request.sign}/{request.since}", f"Maintenance of {device}", f"Please look after {device}. {why}"
    )


MAINTENANCE_REQUESTS = AlertTopic("maintenance-requests", str, MaintenanceRequest, maintenance_message)


def overload_message(service: str | None, overload: Overload) -> AlertMessage:
    """Return the message that a service is overloaded; there is one for each window."""
    since = readable_time(overload.since)
    body = f"The 99th percentile of the load of {service} since {since} is {overload.p99:.0f} %, above {overload.limit:g} %."
    return AlertMessage(f"{service}/{overload.since}", f"{service} is overloaded", body)


OVERLOADS = AlertTopic("overloads", str, Overload, overload_message)
