"""Letters: how alerts read to the people who get them."""

from datetime import UTC, datetime, timedelta

from eddyline.domain.beaconing import Beacon
from eddyline.domain.maintenance import MaintenanceRequest
from eddyline.domain.page_views import PopularPage
from eddyline.domain.reservations import MissedConfirmation
from eddyline.domain.value import value

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SIGNS = {
    "rising": "Its temperature and its vibration have been rising together since {since}.",
    "silent": "Nothing has been heard of it since {since}.",
}


@value
class Letter:
    """What somebody is told. `identity` is the same for letters about the same matter, of which one is enough.

    A letter without identity is about a matter of its own.
    """

    identity: str | None
    subject: str
    body: str


def popular_page_letter(_page: str | None, popular: PopularPage) -> Letter:
    """A page became popular; the page alone is the matter, so that it becomes popular once."""
    page = popular.page
    return Letter(page, f"{page} is popular", f"The page {page} has been seen {popular.views} times.")


def missed_confirmation_letter(_guest: str | None, missed: MissedConfirmation) -> Letter:
    """A booking was not confirmed in time."""
    return Letter(
        f"{missed.guest}/{missed.reservation}",
        f"Reservation {missed.reservation} is not confirmed",
        f"{missed.hotel} has not confirmed reservation {missed.reservation} of guest {missed.guest}.\n"
        f"Booked {_moment(missed.booked_at)}, the confirmation was due {_moment(missed.due_at)}.",
    )


def maintenance_letter(_device: str | None, request: MaintenanceRequest) -> Letter:
    """A machine asks to be looked after."""
    device = request.device
    why = _SIGNS[request.sign].format(since=_moment(request.since))
    return Letter(f"{device}/{request.sign}/{request.since}", f"Maintenance of {device}", f"Please look after {device}. {why}")


def beacon_letter(_destination: str | None, beacon: Beacon) -> Letter:
    """A host calls a destination suspiciously regularly."""
    return Letter(
        f"{beacon.host}/{beacon.destination}/{beacon.first_at}",
        f"{beacon.host} calls {beacon.destination} suspiciously regularly",
        f"{beacon.host} called {beacon.destination} {beacon.calls} times from {_moment(beacon.first_at)} to"
        f" {_moment(beacon.last_at)}, every {beacon.interval_ms / 1000:.0f} s,"
        f" with a variation of {beacon.variation * 100:.1f} % only. Nobody has told that this destination is known.",
    )


def _moment(at: int) -> str:
    try:
        return (_EPOCH + timedelta(milliseconds=at)).strftime("%Y-%m-%d %H:%M:%S UTC")
    except OverflowError:
        return f"{at} ms after 1970"
