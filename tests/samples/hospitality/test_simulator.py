from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from eddyline.application.samples.simulation import SimulatedEvent
from eddyline.application.samples.simulation.events import HOUR, MINUTE, SECOND, START_MS
from eddyline.domain.hospitality import Booking, Cancellation, Change, Confirmation
from tests.samples.simulated import simulate

MANY = 2_000


def booked(events: list[SimulatedEvent]) -> dict[str, Booking]:
    return {event.value.reservation: event.value for event in events if isinstance(event.value, Booking)}


def facts(events: list[SimulatedEvent], kind: type[Any]) -> list[Any]:
    return [event.value for event in events if isinstance(event.value, kind)]


def test_a_guest_has_one_to_three_bookings_with_unique_numbers() -> None:
    bookings = [event for event in simulate("hotel-reservations", guests=MANY) if isinstance(event.value, Booking)]
    each = Counter(event.key for event in bookings)
    assert len(each) == MANY
    assert set(each.values()) == {1, 2, 3}
    assert sorted(event.value.reservation for event in bookings) == [f"r{number:05}" for number in range(1, len(bookings) + 1)]


def test_the_key_of_an_event_is_its_guest_and_the_timestamp_is_when_it_happened() -> None:
    events = simulate("hotel-reservations", guests=MANY)
    guests = {event.value.reservation: event.key for event in events if isinstance(event.value, Booking)}
    assert all(event.key == guests[event.value.reservation] and event.timestamp == event.value.at for event in events)


def test_bookings_are_spread_over_the_whole_period() -> None:
    times = [booking.at - START_MS for booking in booked(simulate("hotel-reservations", guests=MANY, hours=3)).values()]
    assert 0 <= min(times) < MINUTE
    assert 3 * HOUR - MINUTE < max(times) <= 3 * HOUR


def test_guests_arrive_within_ninety_days_and_stay_for_up_to_two_weeks() -> None:
    bookings = booked(simulate("hotel-reservations", guests=MANY)).values()
    ahead = {booking.arrival - datetime.fromtimestamp(booking.at / 1000, UTC).date() for booking in bookings}
    assert ahead == {timedelta(days=days) for days in range(1, 91)}
    assert {booking.departure - booking.arrival for booking in bookings} == {timedelta(days=days) for days in range(1, 15)}
    assert len({booking.hotel for booking in bookings}) == 5


def test_a_room_is_one_of_twenty_on_one_of_four_floors() -> None:
    rooms = {booking.room for booking in booked(simulate("hotel-reservations", guests=MANY)).values()}
    assert rooms == {str(100 * floor + number) for floor in range(1, 5) for number in range(1, 21)}


def test_a_booking_is_confirmed_within_a_minute_unless_the_confirmation_is_missed() -> None:
    events = simulate("hotel-reservations", guests=MANY, missed=0.0)
    bookings = booked(events)
    waits = {fact.reservation: fact.at - bookings[fact.reservation].at for fact in facts(events, Confirmation)}
    assert waits.keys() == bookings.keys()
    assert 3 * SECOND <= min(waits.values()) < 3.1 * SECOND
    assert 59.9 * SECOND < max(waits.values()) <= 60 * SECOND


def test_a_missed_confirmation_is_sent_too_late_or_never() -> None:
    events = simulate("hotel-reservations", guests=MANY, missed=1.0)
    bookings = booked(events)
    waits = [fact.at - bookings[fact.reservation].at for fact in facts(events, Confirmation)]
    assert len(waits) / len(bookings) == pytest.approx(0.5, abs=0.03)
    assert 61 * SECOND <= min(waits) < 63 * SECOND
    assert 19.9 * MINUTE < max(waits) <= 20 * MINUTE


def test_the_fraction_of_missed_confirmations_is_the_configured_one() -> None:
    events = simulate("hotel-reservations", guests=MANY, missed=0.2)
    bookings = booked(events)
    in_time = [fact for fact in facts(events, Confirmation) if fact.at <= bookings[fact.reservation].at + MINUTE]
    assert 1 - len(in_time) / len(bookings) == pytest.approx(0.2, abs=0.03)


def test_two_of_five_bookings_are_changed_once_or_twice_after_their_confirmation() -> None:
    events = simulate("hotel-reservations", guests=MANY, missed=0.0)
    confirmed = {fact.reservation: fact.at for fact in facts(events, Confirmation)}
    changes = facts(events, Change)
    each = Counter(change.reservation for change in changes)
    assert set(each.values()) == {1, 2}
    assert len(each) / len(confirmed) == pytest.approx(0.4, abs=0.03)
    firsts = [min(fact.at for fact in changes if fact.reservation == number) - confirmed[number] for number in list(each)[:400]]
    assert MINUTE <= min(firsts) < 3 * MINUTE
    assert 1.9 * HOUR < max(firsts) <= 2 * HOUR


def test_a_change_requests_another_room_or_one_to_three_more_days() -> None:
    events = simulate("hotel-reservations", guests=MANY)
    bookings = booked(events)
    moved = [change for change in facts(events, Change) if change.room]
    longer = [change for change in facts(events, Change) if not change.room]
    assert all(change.arrival is None for change in (*moved, *longer))
    assert all(change.departure is None for change in moved)
    more = Counter(change.departure - bookings[change.reservation].departure for change in longer)
    assert more.keys() == {timedelta(days=days) for days in (1, 2, 3)}
    assert len(moved) / len(longer) == pytest.approx(1, abs=0.15)


def test_one_of_seven_bookings_is_cancelled_after_all_other_events() -> None:
    events = simulate("hotel-reservations", guests=MANY)
    last = {event.value.reservation: event.value.at for event in events if not isinstance(event.value, Cancellation)}
    cancelled = facts(events, Cancellation)
    waits = [fact.at - last[fact.reservation] for fact in cancelled]
    assert len({fact.reservation for fact in cancelled}) == len(cancelled)
    assert len(cancelled) / len(booked(events)) == pytest.approx(0.15, abs=0.02)
    assert {fact.reason for fact in cancelled} == {None, "ill", "found another", "plans changed"}
    assert MINUTE <= min(waits) < 5 * MINUTE
    assert max(waits) > 2.9 * HOUR
