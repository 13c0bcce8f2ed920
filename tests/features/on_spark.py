"""Runs recordings on Spark: those of one flow with the same settings share a query, with one partition a recording."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.adapters.spark.failures import EngineError
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.options import LogClock, RunOptions, RunPorts
from eddyline.application.runtime.store_changes import StoreChanges
from eddyline.application.runtime.store_rows import StoreRow, rows_of
from eddyline.application.runtime.task_stores import store_types
from eddyline.application.topology import Topology
from tests.features.logs import APPLICATION_ID, CLOCK, InputLog, dead_letters, outputs
from tests.features.recording import Recording, RestartStep, Results


class SharedQueries:
    """The recordings that are expected to run on Spark, and the results of those that have.

    Starting a query costs more than anything that a recording does in it, so all expected recordings of one flow and the same
    settings run together. Each has a partition, and so tasks, stores and a stream time, of its own; but a global table is shared
    by all partitions, so recordings with one run alone.
    """

    def __init__(self) -> None:
        self._expected: dict[str, dict[str, Recording]] = {}
        self._results: dict[str, Results] = {}

    def expect(self, recording: Recording) -> None:
        """Announce a recording whose results will be asked for."""
        if not any(spec.global_ for spec in recording.topology().source_topics):
            self._expected.setdefault(recording.query, {})[repr(recording)] = recording

    def results(self, recording: Recording, session: SparkSession) -> Results:
        """Return the results of a recording; one that shares a failing query runs again, alone."""
        name = repr(recording)
        if name not in self._results:
            batch = {name: recording, **self._expected.pop(recording.query, {})}
            try:
                results = on_spark(list(batch.values()), session)
            except EngineError:
                if len(batch) == 1:
                    raise
                batch, results = {name: recording}, on_spark([recording], session)
            self._results.update(zip(batch, results, strict=True))
        return self._results[name]


def on_spark(recordings: Sequence[Recording], session: SparkSession) -> list[Results]:
    """Return the results of each of these recordings of one flow with the same settings.

    The query starts as often as the recording with the most restarts asks for: all records up to the first restart of each
    recording are there at the first start, all up to the second at the second, and so on.
    """
    topology, codecs, store_changes = recordings[0].topology(), JsonCodecs(), StoreChanges()
    source = InputLog(topology, codecs, len(recordings))
    remaining = [enumerate(recording.steps) for recording in recordings]
    with tempfile.TemporaryDirectory(prefix="eddyline-scenarios-") as folder:
        for _ in range(max(recording.runs() for recording in recordings)):
            for number, steps in enumerate(remaining):
                for index, step in steps:
                    if isinstance(step, RestartStep):
                        break
                    source.append(number, index, step)
            SparkEngine(
                topology,
                RunPorts(source.log, FileEventSink(Path(folder, "out")), codecs, MemoryStateStores()),
                RunOptions(
                    application_id=APPLICATION_ID,
                    emit="every-update",
                    order="arrival",
                    clock=LogClock(CLOCK),
                    keep_partition=True,
                    new_topic_partitions=len(recordings),
                ),
                checkpoint_dir=Path(folder, "checkpoint"),
                store_changes=store_changes,
                session=session,
            ).run_available_now()
        written = FileEventLog(Path(folder, "out"))
        return [
            Results(
                outputs(written, number, topology, codecs),
                _stores(store_changes, number, topology, codecs),
                dead_letters(written, number),
            )
            for number in range(len(recordings))
        ]


def _stores(store_changes: StoreChanges, number: int, topology: Topology, codecs: JsonCodecs) -> dict[str, list[StoreRow]]:
    changed = set(store_changes.stores())
    found: dict[str, list[StoreRow]] = {}
    for name, spec in topology.stores.items():
        if not spec.internal:
            decode_key, decode_value = (codecs.for_state(kind).decode for kind in store_types(spec))
            entries = store_changes.entries(name) if name in changed else ()
            own = (
                StoreChange(decode_key(entry.key), decode_value(entry.value)) for entry in entries if entry.partition == number
            )
            found[name] = rows_of(spec, own)
    return found
