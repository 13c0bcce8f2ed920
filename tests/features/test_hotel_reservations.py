"""Reservations, as customer service tells them."""

from typing import Any

from pytest_bdd import given, parsers, scenarios, then, when

from tests.features.running import Scenario, milliseconds, rows

scenarios("hotel_reservations")

Table = list[list[str]]


@given("the reservations of guests are followed")
def followed(scenario: Scenario) -> None:
    scenario.use("hotel-reservations")


@given(parsers.parse("late confirmations are waited for {duration}"))
def waits(scenario: Scenario, duration: str) -> None:
    scenario.use("hotel-reservations", grace_ms=milliseconds(duration))


@given("the wall clock is watched")
def wall_clock(scenario: Scenario) -> None:
    scenario.use("hotel-reservations", punctuation="wall")


@when(parsers.parse("{guest} books {number}, room {room} in the {hotel}, from {arrival} to {departure}, at {time}"))
def books(scenario: Scenario, guest: str, number: str, room: str, hotel: str, arrival: str, departure: str, time: str) -> None:
    booking = {"hotel": hotel, "room": room, "arrival": arrival, "departure": departure}
    _happens(scenario, "bookings", guest, number, time, **booking)


@when(parsers.parse("{guest} changes {number} to room {room} at {time}"))
def changes(scenario: Scenario, guest: str, number: str, room: str, time: str) -> None:
    _happens(scenario, "booking-changes", guest, number, time, room=room)


@when(parsers.parse("{guest} cancels {number} at {time}"))
def cancels(scenario: Scenario, guest: str, number: str, time: str) -> None:
    _happens(scenario, "cancellations", guest, number, time)


@when(parsers.parse("the hotel confirms {number} of {guest} at {time}"))
def confirms(scenario: Scenario, number: str, guest: str, time: str) -> None:
    _happens(scenario, "confirmations", guest, number, time)


@when(parsers.parse("an empty booking comes in for {guest}"))
def empty_booking(scenario: Scenario, guest: str) -> None:
    scenario.arrives("bookings", guest, None, 5_000)


@when(parsers.parse("a cancellation of {number} comes in that names no guest"))
def nobody_cancels(scenario: Scenario, number: str) -> None:
    _happens(scenario, "cancellations", None, number, "6 s")


@when(parsers.parse("{duration} pass"))
def time_passes(scenario: Scenario, duration: str) -> None:
    scenario.wall_clock_moves(milliseconds(duration))


@then(parsers.parse("{guest} is seen {count:d} times"))
def seen(scenario: Scenario, guest: str, count: int) -> None:
    assert len(_views(scenario, guest)) == count


@then(parsers.parse("{guest} is seen once"))
def seen_once(scenario: Scenario, guest: str) -> None:
    seen(scenario, guest, 1)


@then(parsers.parse("{guest}'s reservations are at last"))
def reservations(scenario: Scenario, guest: str, datatable: Table) -> None:
    expected = [{name: cell or None for name, cell in row.items()} for row in rows(datatable)]
    assert _views(scenario, guest)[-1]["reservations"] == expected


@then(parsers.parse("{guest}'s story is at last"))
def story(scenario: Scenario, guest: str, datatable: Table) -> None:
    expected = [{**row, "at": milliseconds(row["at"])} for row in rows(datatable)]
    assert _views(scenario, guest)[-1]["story"] == expected


@then("these confirmations are missed")
def missed(scenario: Scenario, datatable: Table) -> None:
    assert [(record["key"], record["value"]) for record in scenario.left("missed-confirmations")] == [
        (
            row["guest"],
            {
                "guest": row["guest"],
                "reservation": row["reservation"],
                "hotel": row["hotel"],
                "bookedAt": milliseconds(row["booked"]),
                "dueAt": milliseconds(row["due"]),
            },
        )
        for row in rows(datatable)
    ]


@then("no confirmation is missed")
def none_missed(scenario: Scenario) -> None:
    assert scenario.left("missed-confirmations") == []


def _views(scenario: Scenario, guest: str) -> list[dict[str, Any]]:
    return [record["value"] for record in scenario.left("guest-views") if record["key"] == guest]


def _happens(scenario: Scenario, topic: str, guest: str | None, number: str, time: str, **what: str) -> None:
    at = milliseconds(time)
    scenario.arrives(topic, guest, {"reservation": number, "at": at, **what}, at)
