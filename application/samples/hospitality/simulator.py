"""Simulated guests of hotels, who book rooms, and the hotels that confirm them."""

from datetime import UTC, date, datetime, timedelta
from random import Random
from typing import Annotated

from eddyline.application.samples.simulation.events import (
    HOUR,
    MINUTE,
    SECOND,
    START_MS,
    Least,
    Timeline,
    happens,
    names,
)
from eddyline.domain.hospitality import Booking, Cancellation, Change, Confirmation

_HOTELS = ("Astoria", "Bristol", "Grand", "Station", "Zur Post")
_REASONS = (None, "ill", "found another", "plans changed")


def simulate_hotel_reservations(
    timeline: Timeline,
    *,
    guests: Annotated[int, "Number of guests, each with one to three bookings.", Least(1)] = 50,
    hours: Annotated[int, "Period in which guests book, in hours.", Least(1)] = 4,
    missed: Annotated[float, "Fraction of bookings that are confirmed too late or never, from 0 to 1."] = 0.1,
) -> None:
    """Simulate bookings, most of which are confirmed within a minute, some changed and some cancelled."""
    rng, start_ms = timeline.rng, timeline.start_ms
    number = start_ms - START_MS
    for guest in names("guest", guests):
        for _ in range(rng.randint(1, 3)):
            number += 1
            at = start_ms + rng.randint(0, hours * HOUR)
            _reserve(timeline, rng, guest, f"r{number:05}", at, missed=happens(rng, missed))


def _reserve(timeline: Timeline, rng: Random, guest: str, number: str, at: int, *, missed: bool) -> None:
    arrival = datetime.fromtimestamp(at / 1000, UTC).date() + timedelta(days=rng.randint(1, 90))
    departure = arrival + timedelta(days=rng.randint(1, 14))
    timeline.add("bookings", guest, Booking(number, at, rng.choice(_HOTELS), _room(rng), arrival, departure), at)
    answer = at + (rng.randint(61 * SECOND, 20 * MINUTE) if missed else rng.randint(3 * SECOND, 60 * SECOND))
    if not missed or happens(rng, 0.5):
        timeline.add("confirmations", guest, Confirmation(number, answer), answer)
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        answer += rng.randint(MINUTE, 2 * HOUR)
        timeline.add("booking-changes", guest, _change(rng, number, answer, departure), answer)
    if happens(rng, 0.15):
        answer += rng.randint(MINUTE, 3 * HOUR)
        timeline.add("cancellations", guest, Cancellation(number, answer, rng.choice(_REASONS)), answer)


def _change(rng: Random, number: str, at: int, departure: date) -> Change:
    if happens(rng, 0.5):
        return Change(number, at, room=_room(rng))
    return Change(number, at, departure=departure + timedelta(days=rng.randint(1, 3)))


def _room(rng: Random) -> str:
    return str(rng.randint(1, 4) * 100 + rng.randint(1, 20))
