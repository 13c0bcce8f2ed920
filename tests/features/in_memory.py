"""Runs a recording in memory: on the memory engine, or as a run of the flow over a log where the recording needs one."""

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.testing import MemoryEngine
from tests.features.logs import APPLICATION_ID, InputLog, dead_letters, outputs
from tests.features.recording import ClockStep, Recording, RecordStep, RestartStep, Results, TopicRecord


def in_memory(recording: Recording) -> Results:
    """Return the results of a recording; one that needs a log has no stores."""
    return _over_a_log(recording) if recording.needs_log() else _on_the_engine(recording)


def _on_the_engine(recording: Recording) -> Results:
    engine = MemoryEngine(recording.topology(), emit="every-update")
    for step in recording.steps:
        if isinstance(step, RecordStep):
            engine.pipe(*step)
        elif isinstance(step, ClockStep):
            engine.advance_wall_clock(step.by_ms)
    engine.commit()
    stores = {name: engine.store(name) for name, spec in engine.topology.stores.items() if not spec.internal}
    engine.close()
    return Results([TopicRecord(*output[:5]) for output in engine.outputs()], stores, [])


def _over_a_log(recording: Recording) -> Results:
    topology, codecs, clock = recording.topology(), JsonCodecs(), MemoryClock()
    source = InputLog(topology, codecs, recordings=1)

    def start() -> tuple[MemoryRun, MemoryEventLog]:
        results = MemoryEventLog()
        ports = RunPorts(source.log, MemoryEventSink(results), codecs, MemoryStateStores())
        options = RunOptions(application_id=APPLICATION_ID, emit="every-update", order="arrival", new_topic_partitions=1)
        return MemoryRun(topology, ports, options, clock), results

    run, results = start()
    for index, step in enumerate(recording.steps):
        if isinstance(step, ClockStep | RestartStep):
            run.run_available_now()
        if isinstance(step, ClockStep):
            clock.advance(step.by_ms)
        elif isinstance(step, RestartStep):
            run.close()
            run, results = start()
        else:
            source.append(0, index, step)
    run.run_available_now()
    run.close()
    return Results(outputs(results, 0, topology, codecs), {}, dead_letters(results, 0))
