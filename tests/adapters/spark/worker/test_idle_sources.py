"""Stream time that follows the wall clock, over batches that fail and are repeated, in workers that lose their caches."""

from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.topology import Topology
from eddyline.application.topology.graph import with_idle_timeout
from eddyline.testing import MemoryEngine
from tests.adapters.spark.in_process import InProcessRun
from tests.features.semantics.idle_flow import IDLE

PARTITIONS = 3
CODECS = JsonCodecs()
EVENTS = [("a", 5_000), ("b", 20_000), ("c", 59_000), ("a", 61_000), ("d", 62_000)]
ADVANCES = [0, 10_000, 40_000, 10_000, 35_000, 200_000, 200_000]


@pytest.mark.parametrize("kind", ["windows", "sessions", "suppress", "repartition", "twice"])
@pytest.mark.parametrize(("failure_rate", "cache_loss_rate"), [(0.0, 0.0), (0.5, 0.0), (0.3, 0.7)])
def test_output_and_stores_are_those_of_the_memory_engine(
    kind: str, failure_rate: float, cache_loss_rate: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ms = 1_000_000
    monkeypatch.setattr("time.time_ns", lambda: now_ms * 1_000_000)
    topology = IDLE.topology(kind=kind)
    log = MemoryEventLog()
    log.create_topic("events", PARTITIONS)
    run = InProcessRun(topology, log, idle_timeout_ms=30_000, seed=len(kind))
    engine = MemoryEngine(
        with_idle_timeout(topology, 30_000), partitions=PARTITIONS, emit="every-update", codecs=CODECS, wall_clock_ms=now_ms
    )
    for number, advance in enumerate(ADVANCES):
        now_ms += advance
        engine.advance_wall_clock(advance)
        run.run(failure_rate=failure_rate, cache_loss_rate=cache_loss_rate)
        for key, timestamp in EVENTS[number : number + 1]:
            log.append("events", key.encode(), b"x", timestamp, partition=number % PARTITIONS)
            engine.pipe("events", key, "x", timestamp, partition=number % PARTITIONS)
        run.run(failure_rate=failure_rate, cache_loss_rate=cache_loss_rate)
    found = sorted((record.key, record.value, record.timestamp) for record in run.results("out"))
    assert found == sorted(encoded(topology, engine))
    assert found
    for name, spec in topology.stores.items():
        if spec.queryable:
            assert run.store(name) == engine.store(name)


def encoded(topology: Topology, engine: MemoryEngine) -> list[Any]:
    (spec,) = topology.sink_topics
    key, value = CODECS.for_key("out", spec.key_type), CODECS.for_value("out", spec.value_type)
    return [(key.encode(output.key), value.encode(output.value), output.timestamp) for output in engine.outputs()]
