"""The reservations of guests, and confirmations that are overdue."""

import re
from dataclasses import asdict
from typing import Any

from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.testing import Scenario, milliseconds
from tests.features.recording import RecordedFlow
from tests.features.tables import Table, rows

scenarios(
    "hospitality/hotel_reservations.feature",
    "hospitality/hotel_reservations_missed_confirmations.feature",
    "hospitality/what_cannot_be_true.feature",
)

EVENT = {"guest": "key", "time": ("timestamp", "value.at")}
BOOKING = re.compile(r"room (?P<room>\w+) in the (?P<hotel>\w+) from (?P<arrival>\S+) to (?P<departure>\S+)")


@given("the reservations of guests are tracked")
def reservations_are_tracked(flow: RecordedFlow) -> None:
    flow.use("hotel-reservations")


@given(parsers.parse("late confirmations are accepted for {duration}"))
def late_confirmations_are_accepted(flow: RecordedFlow, duration: str) -> None:
    flow.set(grace_ms=milliseconds(duration))


@given("deadlines are watched by the wall clock")
def watched_by_wall_clock(flow: RecordedFlow) -> None:
    flow.set(punctuation="wall")


@when(parsers.parse("{guest} books {reservation} at {time}: {details}"))
def guest_books(scenario: Scenario, guest: str, reservation: str, time: str, details: str) -> None:
    booking = BOOKING.fullmatch(details)
    assert booking, details
    scenario.pipe("bookings", [{"guest": guest, "reservation": reservation, "time": time, **booking.groupdict()}], columns=EVENT)


@when(parsers.parse("{guest} changes {reservation} to room {room} at {time}"))
def guest_changes(scenario: Scenario, guest: str, reservation: str, room: str, time: str) -> None:
    change = {"guest": guest, "reservation": reservation, "room": room, "time": time}
    scenario.pipe("booking-changes", [change], columns=EVENT)


@when(parsers.parse("{guest} cancels {reservation} at {time}"))
def guest_cancels(scenario: Scenario, guest: str, reservation: str, time: str) -> None:
    scenario.pipe("cancellations", [{"guest": guest, "reservation": reservation, "time": time}], columns=EVENT)


@when(parsers.parse("the hotel confirms {reservation} for {guest} at {time}"))
def hotel_confirms(scenario: Scenario, reservation: str, guest: str, time: str) -> None:
    scenario.pipe("confirmations", [{"guest": guest, "reservation": reservation, "time": time}], columns=EVENT)


@when(parsers.parse("an empty booking arrives for {guest}"))
def empty_booking_arrives(scenario: Scenario, guest: str) -> None:
    scenario.pipe("bookings", [{"key": guest, "timestamp": "5 s"}])


@when(parsers.parse("a cancellation of {reservation} arrives without a guest"))
def cancellation_without_guest(scenario: Scenario, reservation: str) -> None:
    guest_cancels(scenario, "", reservation, "6 s")


@then(parsers.parse("the view of {guest} is updated {count:d} times"))
def view_is_updated(flow: RecordedFlow, guest: str, count: int) -> None:
    assert len(_views(flow, guest)) == count


@then(parsers.parse("the view of {guest} is updated once"))
def view_is_updated_once(flow: RecordedFlow, guest: str) -> None:
    view_is_updated(flow, guest, 1)


@then(parsers.parse("the reservations of {guest} are"))
def reservations_are(flow: RecordedFlow, guest: str, datatable: Table) -> None:
    found = [asdict(reservation) for reservation in _views(flow, guest)[-1].reservations]
    assert [{name: str(part or "") for name, part in row.items()} for row in found] == rows(datatable)


@then(parsers.parse("the history of {guest} is"))
def history_is(flow: RecordedFlow, guest: str, datatable: Table) -> None:
    found = [(event.at, event.reservation, event.what) for event in _views(flow, guest)[-1].story]
    assert found == [(milliseconds(row["time"]), row["reservation"], row["event"]) for row in rows(datatable)]


@then("the missed confirmations are")
def missed_confirmations_are(scenario: Scenario, datatable: Table) -> None:
    assert scenario.outputs("missed-confirmations", like=datatable, columns={"guest": "key"}) == datatable
    assert scenario.outputs("missed-confirmations", like=datatable, columns={"guest": "value.guest"}) == datatable


@then("there are no missed confirmations")
def no_missed_confirmations(flow: RecordedFlow) -> None:
    assert flow.outputs("missed-confirmations") == []


def _views(flow: RecordedFlow, guest: str) -> list[Any]:
    return [record.value for record in flow.outputs("guest-views") if record.key == guest]
