"""Runs a recording on the local engine: each restart is another engine, which continues from what the one before has left."""

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.plan.changelogs import ChangelogEntry, changelog_topic, decode
from eddyline.application.runtime.plan.options import LogClock, RunOptions
from eddyline.application.runtime.plan.topic_types import store_types
from eddyline.application.runtime.progress.store_rows import StoreRow, rows_of
from eddyline.application.topology import Topology
from tests.features.logs import APPLICATION_ID, CLOCK, InputLog, dead_letters, outputs
from tests.features.recording import Recording, RestartStep, Results
from tests.fixtures.local_runs import local_engine, ports_of


def on_the_local_engine(recording: Recording) -> Results:
    """Return the results of a recording."""
    topology, codecs, written = recording.topology(), JsonCodecs(), MemoryEventLog()
    source = InputLog(topology, codecs, recordings=1)
    ports = ports_of(source.log, MemoryEventSink(written), codecs, MemoryStateStores())
    options = RunOptions(
        application_id=APPLICATION_ID,
        emit="every-update",
        order="arrival",
        clock=LogClock(CLOCK),
        keep_partition=True,
        new_topic_partitions=1,
    )
    for index, step in enumerate(recording.steps):
        if isinstance(step, RestartStep):
            local_engine(topology, ports, options).run_available_now()
        else:
            source.append(0, index, step)
    local_engine(topology, ports, options).run_available_now()
    return Results(outputs(written, 0, topology, codecs), _stores(source.log, topology, codecs), dead_letters(written, 0))


def _stores(log: MemoryEventLog, topology: Topology, codecs: JsonCodecs) -> dict[str, list[StoreRow]]:
    found: dict[str, list[StoreRow]] = {}
    for name, spec in topology.stores.items():
        topic = changelog_topic(APPLICATION_ID, name)
        if spec.internal:
            continue
        decode_key, decode_value = (codecs.for_state(kind).decode for kind in store_types(spec))
        latest: dict[bytes, bytes | None] = {}
        for batch in log.read(topic, 0, 0, log.end_offset(topic, 0)) if topic in log.topics() else ():
            for record in batch:
                entry = decode(record.key, record.value, record.timestamp)
                if isinstance(entry, ChangelogEntry):
                    latest[entry.key] = entry.value
        changes = (StoreChange(decode_key(key), decode_value(value)) for key, value in latest.items() if value is not None)
        found[name] = rows_of(spec, changes)
    return found
