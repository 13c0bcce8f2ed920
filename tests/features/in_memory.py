"""Takes a story through the memory engine; one that needs a log, through a run of it over a log in memory."""

from eddyline.adapters.cli.replay.case import ClockStep
from eddyline.adapters.cli.replay.in_memory import replay_in_memory
from eddyline.adapters.cli.replay.result import Encoder
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.run import MemoryRun
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.options import RunOptions, RunPorts
from tests.features.logs import APPLICATION_ID, Feed, dead_letters, emitted
from tests.features.running import Document, RestartStep, Story


def in_memory(story: Story) -> Document:
    """What came of it; a story that needs a log has no stores afterwards."""
    codecs = JsonCodecs()
    if story.is_plain():
        return replay_in_memory(story.case(), story.topology(), codecs)
    topology, log, clock = story.topology(), MemoryEventLog(), MemoryClock()
    feed = Feed(log, [story], topology, codecs)

    def started() -> tuple[MemoryRun, MemoryEventLog]:
        results = MemoryEventLog()
        run = MemoryRun(
            topology,
            RunPorts(log, MemoryEventSink(results), codecs, MemoryStateStores()),
            RunOptions(application_id=APPLICATION_ID, emit="every-update", order="arrival", new_topic_partitions=1),
            clock,
        )
        return run, results

    run, results = started()
    for index, step in enumerate(story.steps):
        if isinstance(step, ClockStep | RestartStep):
            run.run_available_now()
        if isinstance(step, ClockStep):
            clock.advance(step.advance_ms)
        elif isinstance(step, RestartStep):
            run, results = started()
        else:
            feed.add(0, index, step)
    run.run_available_now()
    document = Encoder(topology, codecs).document(emitted(results, 0, topology, codecs), {})
    return {**document, "dead_letters": dead_letters(results, 0)}
