"""For random topologies and input: the named inputs alone give the result, and without one they do not, unless it is neutral."""

from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from eddyline.application.lineage.explanation import Explanation
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.topology import TopologyError
from tests.adapters.spark.random_topologies import random_input, random_topology
from tests.fixtures.examples import examples
from tests.lineage.explaining import CODECS, Input, Ran
from tests.runtime.changelogs import rebuilt

pytestmark = pytest.mark.extensive

FEW = 6
"""The number of results that are explained in each example."""


@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 10_000),
    partitions=st.integers(1, 3),
    emit=st.sampled_from(["every-update", "latest"]),
    order=st.sampled_from(["timestamp", "arrival"]),
)
def test_the_named_inputs_alone_give_the_result(seed: int, partitions: int, emit: str, order: str) -> None:
    flow, results = _ran(seed, partitions, emit=emit, order=order)
    for result in results:
        found = flow.explain(result)
        assert (found.found, found.verified, found.notes[1:]) == (True, True, ()), (result, found.notes)
        _check(flow, found, result)


@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10_000))
def test_a_flow_that_goes_on_after_exceptions_is_replayed_likewise(seed: int) -> None:
    flow, results = _ran(seed, 1, processing_exception_handler="continue")
    for result in results:
        found = flow.explain(result)
        assert found.verified
        _check(flow, found, result)


@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10_000), batch=st.integers(5, 40))
def test_results_of_many_batches_are_found_in_their_batches(seed: int, batch: int) -> None:
    flow, results = _ran(seed, 1, emit="latest", max_batch_records=batch)
    for result in results:
        found = flow.explain(result)
        assert found.found, (result, found.notes)
        # Which records of another task wait for the next batch depends on records that have no influence otherwise.
        assert found.verified or found.notes[-1].endswith("for how many batches a task has waited for others."), found.notes


@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10_000))
def test_the_named_inputs_alone_give_the_entry_of_a_store(seed: int) -> None:
    flow, _ = _ran(seed, 1, changelog_stores="all")
    for name, spec in flow.topology.stores.items():
        if not spec.queryable:
            continue
        rows = rebuilt(flow.log, flow.topology, name, CODECS, "app")
        for row in Random(seed).sample(rows, min(FEW, len(rows))):
            found = flow.lineage.explain_entry(name, row.key, None if row.window is None else row.window.start)
            assert (found.found, found.verified) == (True, True), (name, row, found.notes)
            assert found.inputs


def _check(flow: Ran, found: Explanation, result: LogRecord) -> None:
    inputs = [record.position for record in found.inputs]
    assert flow.gives(inputs, result), (result, inputs)
    for record in found.inputs:
        others = [position for position in inputs if position != record.position]
        assert flow.gives(others, result) is record.neutral, (result, inputs, record.position)


def _ran(seed: int, partitions: int, **options: Any) -> tuple[Ran, list[LogRecord]]:
    """Return a flow that has run over random input, and some results.

    The input is in the order of time if tasks order it by time: which of two queues comes first depends on the records of both
    if their times are out of order, so another run over some of them might take them in another order.
    """
    topology, rng = random_topology(seed), Random(seed)
    topics = {spec.name for spec in topology.source_topics}
    records = [
        Input(topic, key, value, timestamp, rng.randrange(partitions))
        for topic, key, value, timestamp in random_input(seed, 60)
        if topic in topics
    ]
    if options.get("order", "timestamp") == "timestamp":
        records.sort(key=lambda record: record.timestamp)
    try:
        flow = Ran(topology, records, partitions=partitions, **options)
    except TopologyError:  # topics with different numbers of partitions
        reject()
    results = flow.outputs
    return flow, rng.sample(results, min(FEW, len(results)))
