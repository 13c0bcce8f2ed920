"""What the sample flows show: every view names a store or topic of its flow, and can show what the flow writes."""

from functools import lru_cache
from typing import Any

import pytest

from eddyline import ChartView, Flow, TableView
from eddyline.application.samples.catalogue import FLOWS
from eddyline.application.samples.simulation import SimulatedEvent
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


@pytest.mark.parametrize(("flow", "view"), _VIEWS)
def test_a_view_is_of_a_store_or_of_an_output_of_its_flow(flow: Flow, view: Any) -> None:
    topology = flow.topology()
    if isinstance(view, TableView):
        assert view.store in topology.stores
    else:
        assert view.topic in {spec.name for spec in topology.sink_topics}


@lru_cache(maxsize=1)
def engine_after(flow: str) -> MemoryEngine:
    """Return the engine of a flow that has run; the views of a flow, which follow each other, share it."""
    return run(flow, INPUT.get(flow) or simulate(flow), **SETTINGS.get(flow, {}))


@pytest.mark.extensive
@pytest.mark.parametrize(("flow", "view"), _VIEWS)
def test_a_view_shows_what_the_flow_writes(flow: Flow, view: Any) -> None:
    engine = engine_after(flow.name)
    if isinstance(view, ChartView):
        values = [output.value for output in engine.outputs(view.topic)]
        assert values
        assert all(isinstance(number(value), int | float) for value in values for number in view.values.values())
        return
    if isinstance(view, TableView):
        entries = [(row.key, row.value) for row in engine.store(view.store)]
    else:
        entries = [(output.key, output.value) for output in engine.outputs(view.topic)]
    assert entries or view.rows is None
    if view.rows is not None:
        rows = [row for key, value in entries for row in view.rows(key, value)]
        assert rows
        assert len({tuple(row) for row in rows}) == 1
