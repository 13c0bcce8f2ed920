"""Runs recordings on Spark: those that are known share queries."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.plan.options import LogClock, RunOptions, RunPorts
from eddyline.application.runtime.plan.topic_types import store_types
from eddyline.application.runtime.progress.store_changes import StoreChanges
from eddyline.application.runtime.progress.store_rows import StoreRow, rows_of
from eddyline.application.topology import Topology
from tests.features.logs import APPLICATION_ID, CLOCK, InputLog, dead_letters, outputs
from tests.features.recording import Recording, RestartStep, Results, moved
from tests.fixtures.side_by_side import can_share, global_stores, has_global_tables, idle_timeouts, prefix, side_by_side, stages

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TOPOLOGIES_OF_A_QUERY: Final = 16
"""More are not faster: each task of a query has the operators of all its topologies."""


class SharedQueries:
    """The recordings that are expected to run on Spark, and the results of those that have.

    Starting a query costs more than anything that a recording does in it, so expected recordings run together: all of one flow
    with the same settings, and those of others if their topologies can be combined. Each has a partition, and so tasks, stores
    and a stream time, of its own. A global table is shared by all partitions, so a recording with one has a topology of its own.
    """

    def __init__(self) -> None:
        self._expected: dict[str, dict[str, Recording]] = {}
        self._stages: dict[str, int] = {}
        self._idle_timeouts: dict[str, frozenset[int | None]] = {}
        self._results: dict[str, Results] = {}

    def expect(self, recording: Recording) -> None:
        """Announce a recording whose results will be asked for."""
        topology = recording.topology()
        owner = _owner(recording, topology)
        self._expected.setdefault(owner, {})[repr(recording)] = recording
        if can_share(topology):
            self._stages[owner], self._idle_timeouts[owner] = stages(topology), idle_timeouts(topology)

    def results(self, recording: Recording, session: SparkSession) -> Results:
        """Return the results of a recording; one that shares a failing query runs again, alone."""
        from eddyline.adapters.spark.failures import EngineError  # noqa: PLC0415

        name = repr(recording)
        if name not in self._results:
            groups = self._take(recording)
            try:
                results = on_spark([list(group.values()) for group in groups], session)
            except EngineError:
                if len(groups) == len(groups[0]) == 1:
                    raise
                groups, results = [{name: recording}], on_spark([[recording]], session)
            self._results.update(zip((name for group in groups for name in group), results, strict=True))
        return self._results[name]

    def _take(self, recording: Recording) -> list[dict[str, Recording]]:
        """Return a recording, and expected ones, by topology; they are no longer expected.

        Those come first that have as many stages, and start as often, as the recording.
        """
        owner = _owner(recording, recording.topology())
        own = {repr(recording): recording, **self._expected.pop(owner, {})}
        if owner not in self._stages:
            return [own]
        wanted, runs, timeouts = self._stages[owner], _runs(own), self._idle_timeouts[owner]
        others = [other for other in self._expected if self._idle_timeouts.get(other) == timeouts]
        others.sort(key=lambda other: (abs(self._stages[other] - wanted), abs(_runs(self._expected[other]) - runs)))
        return [own, *(self._expected.pop(other) for other in others[: _TOPOLOGIES_OF_A_QUERY - 1])]


def _owner(recording: Recording, topology: Topology) -> str:
    """Return what recordings of one topology have in common."""
    return repr(recording) if has_global_tables(topology) else recording.query


def _runs(group: Mapping[str, Recording]) -> int:
    return max(recording.runs() for recording in group.values())


def on_spark(groups: Sequence[Sequence[Recording]], session: SparkSession) -> list[Results]:
    """Return the results of each of these recordings; those of a group are of one flow with the same settings.

    The query starts as often as the recording with the most restarts asks for: all records up to the first restart of each
    recording are there at the first start, all up to the second at the second, and so on.
    """
    from eddyline.adapters.spark.engine import SparkEngine  # noqa: PLC0415 - scenarios on other engines run without pyspark

    recordings = [recording for group in groups for recording in group]
    owners = [number for number, group in enumerate(groups) for _ in group]
    topologies = [group[0].topology() for group in groups]
    shared = len(topologies) > 1
    beginnings = [prefix(number) if shared else "" for number in owners]
    partitions = [[index for index, owner in enumerate(owners) if owner == number] for number in range(len(groups))]
    topology = side_by_side(topologies, partitions) if shared else topologies[0]
    codecs, store_changes = JsonCodecs(), StoreChanges()
    source = InputLog(topology, codecs, len(recordings))
    remaining = [enumerate(recording.steps) for recording in recordings]
    with tempfile.TemporaryDirectory(prefix="eddyline-scenarios-") as folder:
        for _ in range(max(recording.runs() for recording in recordings)):
            for number, steps in enumerate(remaining):
                for index, step in steps:
                    if isinstance(step, RestartStep):
                        break
                    source.append(number, index, moved(step, beginnings[number]))
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
        found = [
            Results(
                outputs(written, number, topology, codecs),
                _stores(store_changes, number, topology, codecs),
                dead_letters(written, number),
            )
            for number in range(len(recordings))
        ]
        common = global_stores(topology)
        return [_own(results, beginning, common) for results, beginning in zip(found, beginnings, strict=True)]


def _own(results: Results, beginning: str, common: Collection[str]) -> Results:
    """Return results with the original names; all but common stores must belong to the topology of the recording."""
    assert all(record.topic.startswith(beginning) for record in results.outputs)
    assert not any(rows for name, rows in results.stores.items() if not name.startswith(beginning) and name not in common)
    return Results(
        [record._replace(topic=record.topic.removeprefix(beginning)) for record in results.outputs],
        {name.removeprefix(beginning): rows for name, rows in results.stores.items() if name.startswith(beginning)},
        [{**letter, "topic": letter["topic"].removeprefix(beginning)} for letter in results.dead_letters],
    )


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
