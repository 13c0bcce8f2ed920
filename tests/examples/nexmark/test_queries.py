"""The final rows of each NEXMark query on the memory engine: those that Flink SQL gives, and those of plain Python."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nexmark.flows import FLOWS, QUERIES
from nexmark.generator import Arrival, Simulation, side_rows

from eddyline.application.topology.graph.warnings import topology_warnings
from eddyline.testing import MemoryEngine
from tests.examples.nexmark.oracle import ORACLE, History
from tests.examples.nexmark.rows import DATA_SETS, Bag, answers, bag, final_rows

pytestmark = pytest.mark.extensive

FLOW = {flow.name.removeprefix("nexmark-"): flow for flow in FLOWS}
EVENTS_PER_BATCH = 1_500


@cache
def events(simulation: Simulation) -> tuple[Arrival, ...]:
    return tuple(simulation.arrivals())


def rows_of(query: str, arrivals: Iterable[Arrival], columns: frozenset[str], **options: Any) -> Bag:
    """Return the final rows of a query; the clock of the engine shows when each event arrives."""
    engine = MemoryEngine(FLOW[query].topology(), **options)
    topics = {spec.name for spec in engine.topology.source_topics}
    for key, value in side_rows():
        if "side_input" in topics:
            engine.pipe("side_input", key, value, 0)
    for number, arrival in enumerate(arrivals, start=1):
        if arrival.topic in topics:
            engine.advance_wall_clock(max(0, arrival.arrival - engine.wall_clock_ms))
            engine.pipe(arrival.topic, arrival.key, arrival.value, arrival.timestamp)
        if number % EVENTS_PER_BATCH == 0:
            engine.commit()
    engine.commit()
    assert engine.drops == {}
    return final_rows(query, ((output.key, output.value) for output in engine.outputs(query)), columns)


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("data_set", [pytest.param("public-1", marks=pytest.mark.slow), "public-2"])
def test_the_final_rows_are_those_of_flink_sql(data_set: str, query: str) -> None:
    answer = answers(data_set)[query]
    assert rows_of(query, events(DATA_SETS[data_set]), answer.columns) == answer.rows


@pytest.mark.parametrize("query", QUERIES)
def test_the_plain_computation_gives_the_rows_of_flink_sql(query: str) -> None:
    answer = answers("public-2")[query]
    found = bag(ORACLE[query](History.of(events(DATA_SETS["public-2"]), dict(side_rows()))))
    assert found == answer.rows


SIMULATIONS = st.builds(
    Simulation,
    seed=st.integers(3, 1_000_000),
    events=st.integers(50, 700),
    delay_us=st.sampled_from([1_000, 40_000, 700_000, 5_000_000]),
    base=st.sampled_from(["2015-07-15T00:00:00Z", "2024-02-29T23:59:50Z"]),
    late_share=st.sampled_from([0.0, 0.4]),
    late_ms=st.just(3_000),
)


@pytest.mark.parametrize("emit", ["latest", "every-update"])
@given(simulation=SIMULATIONS, partitions=st.sampled_from([1, 3]))
@settings(max_examples=3)
def test_the_final_rows_of_other_events_are_those_of_a_plain_computation(
    emit: str, simulation: Simulation, partitions: int
) -> None:
    arrivals = events(simulation)
    history = History.of(arrivals, dict(side_rows()))
    found, expected = {}, {}
    for query in QUERIES:
        expected[query] = bag(ORACLE[query](history))
        columns = answers("public-1")[query].columns
        found[query] = rows_of(query, arrivals, columns, emit=emit, partitions=partitions)
    assert {query for query in QUERIES if found[query] != expected[query]} == set()


@pytest.mark.parametrize("query", [query for query in QUERIES if query != "q5"])
def test_no_flow_has_a_warning(query: str) -> None:
    assert topology_warnings(FLOW[query].topology()) == ()


def test_the_greatest_counts_need_not_all_updates() -> None:
    (warning,) = topology_warnings(FLOW["q5"].topology())
    assert warning.startswith(
        "'q5-hottest-aggregate' receives only the latest update per key and batch of table 'q5-counts-count'"
    )


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("record", [(1, None), (None, None)])
def test_a_record_without_an_event_ends_no_query(query: str, record: tuple[int | None, None]) -> None:
    engine = MemoryEngine(FLOW[query].topology())
    for spec in engine.topology.source_topics:
        engine.pipe(spec.name, *record, 0)
    engine.commit()
    assert engine.outputs() == []
