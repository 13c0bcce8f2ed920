"""Simulated events and the results of flows are the same after encoding and decoding as Avro."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

import pytest

from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.avro.options import AvroOptions
from eddyline.application.samples.catalogue import SIMULATORS, find_flow
from eddyline.application.samples.retail.debezium import ChangeSource, CustomerChange
from eddyline.application.samples.simulation import SimulatedEvent, Simulator
from eddyline.testing import MemoryEngine

INVALID = {"cdc-table": [SimulatedEvent("customer-changes", "c1", CustomerChange("x", ChangeSource(1)), 0)]}
"""Events that simulators do not send; each makes a flow write to a topic that would be empty otherwise."""


@pytest.mark.parametrize("simulator", SIMULATORS, ids=lambda simulator: simulator.name)
def test_events_are_the_same_after_a_round_trip_through_avro(simulator: Simulator) -> None:
    topology = find_flow(simulator.name).topology()
    engine = MemoryEngine(topology)
    by_topic: dict[str, list[Any]] = {topic: [] for topic in simulator.topics}
    events = chain(INVALID.get(simulator.name, ()), simulator.generate(seed=1))
    for number, (topic, key, value, timestamp) in enumerate(events):
        engine.pipe(topic, key, value, timestamp)
        if number < 500:
            by_topic[topic].append(value)
    engine.commit()
    for spec in topology.source_topics:
        _check_round_trip(spec.value_type, by_topic[spec.name])
    for spec in topology.sink_topics:
        values = [output.value for output in engine.outputs(spec.name)[:500]]
        assert values, spec.name
        _check_round_trip(spec.value_type, values)


def _check_round_trip(kind: object, values: Iterable[Any]) -> None:
    avro = AvroFormat(kind, AvroOptions())
    read = avro.decoder(avro.schema_text)
    for value in values:
        if value is not None:
            assert repr(read(avro.encode(value, b""), 0)) == repr(value)
