"""Simulated input, and the results of flows for it."""

from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.application.samples.catalogue import SIMULATORS, find_flow
from eddyline.application.samples.simulation import SimulatedEvent
from eddyline.application.topology.types import Emit
from eddyline.testing import MemoryEngine

SEEDS = pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
EMITS = pytest.mark.parametrize("emit", ["every-update", "latest"])


def simulate(flow: str, **settings: Any) -> list[SimulatedEvent]:
    """Return simulated input of a flow."""
    (simulator,) = (simulator for simulator in SIMULATORS if simulator.name == flow)
    return list(simulator.generate(**settings))


def run(
    flow: str, events: list[SimulatedEvent], *, partitions: int = 1, emit: Emit = "every-update", **settings: Any
) -> MemoryEngine:
    """Run a flow over events, encoded and decoded as in a topic, and return the engine afterwards."""
    topology, codecs = find_flow(flow).topology(**settings), JsonCodecs()
    engine = MemoryEngine(topology, partitions=partitions, codecs=codecs, emit=emit)
    types = {spec.name: spec.value_type for spec in topology.source_topics}
    for topic, key, value, timestamp in events:
        encoded = None if value is None else codecs.for_value(topic, type(value)).encode(value)
        engine.pipe(topic, key, codecs.for_value(topic, types[topic]).decode(encoded), timestamp)
    engine.commit()
    return engine


def last_values(engine: MemoryEngine, topic: str) -> dict[Any, Any]:
    """Return the last value of each key in a topic."""
    return {output.key: output.value for output in engine.outputs(topic)}
