"""Replays a case on the memory engine, with one partition per topic, as Kafka's TopologyTestDriver does."""

from typing import TYPE_CHECKING, Any

from eddyline.adapters.cli.replay.case import Case, ClockStep
from eddyline.adapters.cli.replay.decoding import Decoder
from eddyline.adapters.cli.replay.result import Emitted, Encoder
from eddyline.application.topology import Topology

if TYPE_CHECKING:
    from eddyline.adapters.container import Container


def replay_in_memory(case: Case, topology: Topology, container: "Container") -> dict[str, Any]:
    """Return what the topology emits, with the input step that caused each record, and its stores at the end.

    Raises:
        CaseError: the topology cannot receive a record of the case.
    """
    codecs = container.codecs()
    engine = container.memory_engine(topology, emit="every-update", wall_clock_ms=case.wall_clock_ms)
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
    stores = {name: engine.store(name) for name, spec in topology.stores.items() if not spec.internal}
    return Encoder(topology, codecs).document(emitted, stores)
