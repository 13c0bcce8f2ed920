"""Windows of every kind, as those who count in them tell them."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pytest_bdd import given, parsers, scenarios, then, when

from eddyline.application.flows.flow import Flow
from tests.conformance.windows import closed_counts, sliding_counts
from tests.features.running import Scenario, Table, milliseconds, rows

scenarios("windows")

SLIDING = Flow("sliding", "Counts events in sliding windows.", sliding_counts)
ON_CLOSE = Flow("emit-on-close", "Counts events in windows, and tells when they close.", closed_counts)


@pytest.fixture
def zone() -> list[ZoneInfo]:
    """The time zone of the scenario, once it is said."""
    return []


@given("the notification metrics")
def notification_metrics(scenario: Scenario) -> None:
    scenario.use("notification-metrics")


@given(parsers.parse("the daily ranges of {name}"))
def daily_ranges(scenario: Scenario, zone: list[ZoneInfo], name: str) -> None:
    zone.append(ZoneInfo(name))
    scenario.use("daily-range", zone=name)


@given(parsers.parse("days take late prices for {duration}"))
def grace(scenario: Scenario, duration: str) -> None:
    scenario.use("daily-range", grace_ms=milliseconds(duration))


@given(parsers.parse("events are counted in sliding windows of {duration}"))
def sliding_windows(scenario: Scenario, duration: str) -> None:
    scenario.use(SLIDING, time_difference_ms=milliseconds(duration))


@given(parsers.re(r"events are counted in windows of (?P<size>\d+ s) and told on close(, at most every (?P<interval>.*))?"))
def windows_on_close(scenario: Scenario, size: str, interval: str | None) -> None:
    scenario.use(ON_CLOSE, size_ms=milliseconds(size), emit_interval_ms=milliseconds(interval or "0 ms"))


@when(parsers.parse("{user} is notified"))
def notified(scenario: Scenario, user: str, datatable: Table) -> None:
    for row in rows(datatable):
        scenario.arrives("notifications", user, {"message": "news"}, milliseconds(row["at"]))


@when("these prices come in")
def prices(scenario: Scenario, zone: list[ZoneInfo], datatable: Table) -> None:
    for row in rows(datatable):
        scenario.arrives("prices", "ACME", {"price": float(row["price"])}, _instant(row["at"], zone[0]))


@when("these events come in")
def events(scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        scenario.arrives("events", row["key"], "event", milliseconds(row["at"]))


@when(parsers.re(r"(?P<duration>\d+ s) pass"))
def time_passes(scenario: Scenario, duration: str) -> None:
    scenario.wall_clock_moves(milliseconds(duration))


@then(parsers.parse("{user} has been told {number:d} counts"))
def told_counts(scenario: Scenario, user: str, number: int) -> None:
    assert sum(record["key"]["key"] == user for record in scenario.left("notification-metrics")) == number


@then(parsers.parse("{user} has had {count:d} from {start} to {end}"))
def has_had(scenario: Scenario, user: str, count: int, start: str, end: str) -> None:
    counts = {(record["key"]["key"], *_bounds(record)): record["value"] for record in scenario.left("notification-metrics")}
    assert counts[user, milliseconds(start), milliseconds(end)] == count


@then("these days are at last")
def days(scenario: Scenario, zone: list[ZoneInfo], datatable: Table) -> None:
    found = {_bounds(record): record["value"] for record in scenario.left("daily-ranges")}
    expected = {}
    for row in rows(datatable):
        start = _instant(row["from"], zone[0])
        expected[start, start + milliseconds(f"{row['hours']} h")] = {
            "min": float(row["lowest"]),
            "max": float(row["highest"]),
            "average": float(row["average"]),
            "count": int(row["prices"]),
        }
    assert found == expected


@then("these counts are told")
def counts(scenario: Scenario, datatable: Table) -> None:
    expected = [
        (row["key"], milliseconds(row["from"]), milliseconds(row["to"]), int(row["count"]), milliseconds(row["at"]))
        for row in rows(datatable)
    ]
    assert _told(scenario) == expected


@then("no counts are told")
def no_counts(scenario: Scenario) -> None:
    assert _told(scenario) == []


def _told(scenario: Scenario) -> list[tuple[Any, ...]]:
    records = scenario.left("sliding-counts") + scenario.left("closed-counts")
    return [(record["key"]["key"], *_bounds(record), record["value"], record["timestamp"]) for record in records]


def _bounds(record: dict[str, Any]) -> tuple[int, int]:
    window = record["key"]["window"]
    return window["start"], window["end"]


def _instant(text: str, zone: ZoneInfo) -> int:
    """A moment of a zone's calendar in ms since the epoch."""
    return round(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1_000)
