"""The steps of all features about what operators mean: records arrive, and records are emitted to the only topic of the flow."""

from collections.abc import Mapping
from typing import Any

import pytest
from pytest_bdd import given, parsers, then, when

from eddyline.testing import Columns, Scenario, milliseconds
from tests.features.recording import RecordedFlow
from tests.features.tables import Table, rows

TOPICS = {"orders": "left", "customers": "right", "payments": "orders", "exchange-rates": "prices"}
"""The topics of the foreign-key join and of the join with a versioned table, by what they hold."""

COUNT = {"count": "value"}

COLUMNS: Mapping[str, Columns] = {
    "clicks": {"key": ("key", "user_id"), "value": "page"},
    "searches": {"value": "search_terms"},
    "profiles": {"name": "user_name"},
    "auctions": {"expires or price": "expires"},
    "bids": {"expires or price": "price"},
    "captchas-solved": {"value": "ok"},
    "left": {"foreign key": "fk", "value": "what"},
    "joined": {"order": "left.what", "customer": "right"},
    "out": {"payment": "left", "rate": "right"},
    "daily-ranges": {"prices": "count"},
    "top-movers": {"shares": "symbol"},
    "notification-metrics": COUNT,
    "session-counts": COUNT,
    "sliding-counts": COUNT,
    "closed-counts": COUNT,
    "suppressed-counts": COUNT,
}
"""What the headers of a topic's tables stand for, where they are no fields of the value."""

CONSTANTS: Mapping[str, Mapping[str, Any]] = {
    "events": {"value": "event"},
    "notifications": {"message": "news"},
    "product-views": {"value": "view"},
}
"""The values in topics of which only keys and timestamps matter."""


@given(parsers.parse("the grace period is {duration}"))
def grace_period(flow: RecordedFlow, duration: str) -> None:
    flow.set(grace_ms=milliseconds(duration))


@when("these records arrive")
def records_arrive(flow: RecordedFlow, scenario: Scenario, datatable: Table) -> None:
    for row in rows(datatable):
        topic = row.pop("topic", None) or flow.topology.source_topics[0].name
        _pipe(scenario, TOPICS.get(topic, topic), row)


@when(parsers.parse("these records arrive in topic '{topic}'"))
def records_arrive_in_topic(scenario: Scenario, topic: str, datatable: Table) -> None:
    for row in rows(datatable):
        _pipe(scenario, topic, row)


@pytest.fixture
def output_topic(flow: RecordedFlow) -> str:
    """Return the only topic that the flow writes to."""
    (topic,) = flow.topology.sink_topics
    return topic.name


@then("these records are emitted")
def records_are_emitted(scenario: Scenario, output_topic: str, datatable: Table) -> None:
    assert scenario.outputs(output_topic, like=datatable, columns=COLUMNS.get(output_topic, {})) == datatable


@then("no records are emitted")
def no_records_are_emitted(flow: RecordedFlow, output_topic: str) -> None:
    assert flow.outputs(output_topic) == []


@then("the latest records are")
def latest_records_are(scenario: Scenario, output_topic: str, datatable: Table) -> None:
    assert scenario.latest(output_topic, like=datatable, columns=COLUMNS.get(output_topic, {})) == datatable


@then("the latest records include")
def latest_records_include(scenario: Scenario, output_topic: str, datatable: Table) -> None:
    found = scenario.latest(output_topic, like=datatable, columns=COLUMNS.get(output_topic, {}))
    assert [row for row in datatable if row not in found] == []


def _pipe(scenario: Scenario, topic: str, row: dict[str, str]) -> None:
    scenario.pipe(topic, [row], columns=COLUMNS.get(topic, {}), constants=CONSTANTS.get(topic, {}))
