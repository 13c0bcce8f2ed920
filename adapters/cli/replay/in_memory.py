"""Replays a case on the memory engine, with one partition a topic, as Kafka's own test driver does."""

from typing import Any

from eddyline.adapters.cli.replay.case import Case, ClockStep
from eddyline.adapters.cli.replay.decoding import Decoder
from eddyline.adapters.cli.replay.result import Emitted, Encoder
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.ports.codec import Codecs
from eddyline.application.topology import Topology


def replay_in_memory(case: Case, topology: Topology, codecs: Codecs) -> dict[str, Any]:
    """What the topology emits, with the step that caused each record, and its named stores at the end.

    Raises CaseError for a step that the topology cannot take.
    """
    engine = MemoryEngine(topology, emit="every-update", codecs=codecs, wall_clock_ms=case.wall_clock_ms)
    decoder = Decoder(case, topology, codecs)
    emitted: list[Emitted] = []
    for index, step in enumerate(case.steps):
        if isinstance(step, ClockStep):
            engine.advance_wall_clock(step.advance_ms)
        else:
            sent = decoder.sent(index, step)
            key, value = decoder.decoded(index, sent)
            engine.pipe(sent.topic, key, value, sent.timestamp, sent.headers)
        emitted.extend(
            Emitted(record.topic, record.key, record.value, record.timestamp, record.headers, index)
            for record in engine.take_outputs()
        )
    stores = {name: engine.store(name) for name, spec in topology.stores.items() if spec.queryable}
    return Encoder(topology, codecs).document(emitted, stores)
