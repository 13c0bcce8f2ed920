"""What the sample flows show: every view names a store or topic of its flow, and can show what the flow writes."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any

import pytest

from eddyline import ChartView, DetailView, Flow, TableView, Windowed
from eddyline.application.samples.catalogue import FLOWS
from eddyline.application.samples.simulation import SimulatedEvent
from eddyline.application.samples.views import stays
from eddyline.domain.hospitality import ReservationView
from eddyline.domain.hospitality.reservation import State
from eddyline.domain.trading import DailyQuote, Trade
from eddyline.testing import MemoryEngine
from tests.samples.simulated import run, simulate

INPUT = {
    "stock-stats": [SimulatedEvent("trades", "IBM", Trade("ASK", "IBM", 5.0, 1), 0)],
    "top-movers": [SimulatedEvent("daily-prices", "IBM", DailyQuote(1.0, 2.0), 0)],
}
SETTINGS: dict[str, dict[str, Any]] = {"popular-products": {"threshold": 20}}

_VIEWS = [pytest.param(flow, view, id=f"{flow.name}-{view.title}") for flow in FLOWS for view in flow.views]


def test_every_sample_shows_something() -> None:
    assert [flow.name for flow in FLOWS if not flow.views] == []


def _stores(view: Any) -> list[str]:
    return [view.store] if isinstance(view, TableView | DetailView) else []


def _topics(view: Any) -> list[str]:
    parts = view.parts if isinstance(view, DetailView) else () if isinstance(view, TableView) else (view,)
    return [part.topic for part in parts if part.topic is not None]


@pytest.mark.parametrize(("flow", "view"), _VIEWS)
def test_a_view_is_of_stores_and_topics_of_its_flow(flow: Flow, view: Any) -> None:
    topology = flow.topology()
    assert set(_stores(view)) <= set(topology.stores)
    read = () if isinstance(view, ChartView) else topology.source_topics
    assert set(_topics(view)) <= {spec.name for spec in (*topology.sink_topics, *read)}
    assert _stores(view) or _topics(view)


@lru_cache(maxsize=1)
def events_of(flow: str) -> list[SimulatedEvent]:
    """Return the input of a flow."""
    return INPUT.get(flow) or simulate(flow)


@lru_cache(maxsize=1)
def engine_after(flow: str) -> MemoryEngine:
    """Return the engine of a flow that has run; the views of a flow, which follow each other, share it."""
    return run(flow, events_of(flow), **SETTINGS.get(flow, {}))


def _records(flow: str, topic: str) -> list[tuple[Any, Any]]:
    """Return the keys and values of a topic that the flow writes or reads."""
    if any(spec.name == topic for spec in engine_after(flow).topology.sink_topics):
        return [(output.key, output.value) for output in engine_after(flow).outputs(topic) if output.value is not None]
    return [(key, value) for name, key, value, _ in events_of(flow) if name == topic and value is not None]


def _check(rows: list[Any]) -> None:
    """Make sure that there are rows, with the same columns, and with text and numbers that people read."""
    assert rows
    assert len({tuple(row) for row in rows}) == 1
    cells = [cell for row in rows for cell in row.values()]
    assert all(isinstance(cell, str | int | Decimal | datetime | date | timedelta | None) for cell in cells)


@pytest.mark.extensive
@pytest.mark.parametrize(("flow", "view"), _VIEWS)
def test_a_view_shows_what_the_flow_writes(flow: Flow, view: Any) -> None:
    engine = engine_after(flow.name)
    if isinstance(view, ChartView):
        values = [output.value for output in engine.outputs(view.topic)]
        assert values
        assert all(isinstance(number(value), int | float) for value in values for number in view.values.values())
    elif isinstance(view, TableView):
        assert view.rows is not None
        rows = [
            row
            for found in engine.store(view.store)
            for row in view.rows(found.key if found.window is None else Windowed(found.key, found.window), found.value)
        ]
        _check(rows if view.order is None else sorted(rows, key=view.order))
    elif isinstance(view, DetailView):
        subjects = {found.key for found in engine.store(view.store)}
        for part in view.parts:
            if part.topic is None:
                _check([row for found in engine.store(view.store) for row in part.rows(found.key, found.value)])
            else:
                records = _records(flow.name, part.topic)
                subject = part.subject or (lambda key, _value: key)
                assert {subject(key, value) for key, value in records} & subjects
                _check([row for key, value in records for row in part.rows(key, value)])
    else:
        records = _records(flow.name, view.topic)
        if view.rows is not None:
            _check([row for key, value in records for row in view.rows(key, value)])
        assert view.sentence is not None
        sentences = [view.sentence(key, value) for key, value in records]
        assert not [sentence for sentence in sentences if set(sentence) & set("{}[]<>") or "None" in sentence]


def test_a_guest_reads_first_where_they_stay_and_what_comes() -> None:
    def stay(number: str, state: State, arrival: int | None, departure: int | None) -> ReservationView:
        days = [None if day is None else date(2026, 5, day) for day in (arrival, departure)]
        return ReservationView(number, state, "Astoria", "14", *days)

    found = stays(
        (
            stay("past", "confirmed", 1, 3),
            stay("later", "requested", 20, 22),
            stay("cancelled", "cancelled", 21, 22),
            stay("now", "confirmed", 9, 10),
            stay("unknown", "unknown", None, None),
            stay("soon", "confirmed", 11, 12),
        ),
        date(2026, 5, 10),
    )
    assert [(row["reservation"], row["stay"]) for row in found] == [
        ("now", "now"),
        ("soon", "upcoming"),
        ("later", "upcoming"),
        ("unknown", "not known yet"),
        ("past", "past"),
        ("cancelled", "cancelled"),
    ]
