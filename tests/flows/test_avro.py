"""What simulations send, and what flows make of it, comes back from Avro as it was."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

import pytest

from eddyline.adapters.avro.format import AvroFormat
from eddyline.adapters.avro.options import AvroOptions
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.flows.registry import find_flow
from eddyline.domain.customers import ChangeSource, CustomerChange
from eddyline.domain.simulation import SimulatedEvent
from eddyline.domain.simulation.registry import SIMULATORS, Simulator

ODD = {"cdc-table": [SimulatedEvent("customer-changes", "c1", CustomerChange("x", ChangeSource(1)), 0)]}
"""What simulations do not send, but topics are made for."""


@pytest.mark.parametrize("simulator", SIMULATORS, ids=lambda simulator: simulator.name)
def test_events_come_back_from_avro_as_they_were(simulator: Simulator) -> None:
    topology = find_flow(simulator.name).topology()
    engine = MemoryEngine(topology)
    by_topic: dict[str, list[Any]] = {topic: [] for topic in simulator.topics}
    events = chain(ODD.get(simulator.name, ()), simulator.generate(seed=1))
    for number, (topic, key, value, timestamp) in enumerate(events):
        engine.pipe(topic, key, value, timestamp)
        if number < 500:
            by_topic[topic].append(value)
    for spec in topology.source_topics:
        _comes_back(spec.value_type, by_topic[spec.name])
    for spec in topology.sink_topics:
        values = [output.value for output in engine.outputs(spec.name)[:500]]
        assert values, spec.name
        _comes_back(spec.value_type, values)


def _comes_back(kind: object, values: Iterable[Any]) -> None:
    avro = AvroFormat(kind, AvroOptions())
    read = avro.decoder(avro.schema_text)
    for value in values:
        if value is not None:
            assert repr(read(avro.encode(value, b""), 0)) == repr(value)
