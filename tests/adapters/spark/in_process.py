"""Runs a flow as Spark would, batch by batch, but in this process: all of the adapter but Spark itself.

Batches can fail after their results were written, and workers can forget what they hold; both must not be seen.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from pyspark.sql.streaming.datasource import ReadMaxRows

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.chunks import ChunkedState
from eddyline.adapters.spark.datasource import EventReader, Offset
from eddyline.adapters.spark.frames import Frame, Kind, unpack, unwrap
from eddyline.adapters.spark.hosting import HostedTask
from eddyline.adapters.spark.outbox import END, Row
from eddyline.adapters.spark.plan import Plan, in_line
from eddyline.adapters.spark.shipping import Shipped
from eddyline.adapters.spark.sink import write_slot
from eddyline.adapters.spark.tasks import task_of
from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.event_sink import EventSink
from eddyline.application.ports.read_model import StoredEntry
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.partitions import task_counts, topic_partitions
from eddyline.application.runtime.report import RunReport
from eddyline.application.runtime.store_rows import StoreRow, rows_of
from eddyline.application.runtime.task_stores import store_types
from eddyline.application.topology import Topology
from tests.adapters.spark.cells import Cells


class Held(NamedTuple):
    """What a worker holds of a task."""

    state: ChunkedState
    hosted: HostedTask


class InProcess:
    """A run of a topology over a log in memory; results go into the same log."""

    def __init__(
        self,
        topology: Topology,
        log: MemoryEventLog,
        *,
        codecs: Codecs | None = None,
        groups: int = 2,
        workers: int = 2,
        seed: int = 0,
        sink: EventSink | None = None,
        **options: Any,
    ) -> None:
        self.topology, self.log, self.groups = topology, log, groups
        self.report, self.read_model = RunReport(), MemoryReadModel()
        partitions = topic_partitions(topology, {spec.name: log.partitions(spec.name) for spec in topology.source_topics})
        given: dict[str, Any] = {"application_id": "app", "emit": "every-update", "new_topic_partitions": 1, **options}
        self.plan = Plan(
            topology=topology,
            ports=RunPorts(log, sink or MemoryEventSink(log), codecs or JsonCodecs(), MemoryStateStores()),
            options=RunOptions(**given),
            line=in_line(topology),
            tasks=task_counts(topology, partitions),
            partitions=partitions,
            writer="app-1",
            with_changes=True,
        )
        self.batch = -1
        self._cells: dict[tuple[int, int], Cells] = {}
        self._workers: list[dict[tuple[int, int], Held]] = [{} for _ in range(workers)]
        self._random = random.Random(seed)
        self._at: Offset | None = None

    def run(self, limit: int = 1_000_000, *, failing: float = 0.0, forgetting: float = 0.0) -> "InProcess":
        """Runs until all is done that the log holds now, in batches of at most `limit` records."""
        reader = EventReader(_Local(self.plan), limit, self.groups)
        self._at = self._at or reader.initialOffset()
        reader.prepareForTriggerAvailableNow()
        while (end := reader.latestOffset(self._at, ReadMaxRows(limit))) != self._at:
            start, self._at = self._at, json.loads(json.dumps(end))
            self.batch += 1
            while self._random.random() < failing:
                before = {place: cells.copy() for place, cells in self._cells.items()}
                self._run_batch(reader, start, self._at)
                self._cells = before
            for worker in self._workers:
                if self._random.random() < forgetting:
                    worker.clear()
            told = self._run_batch(reader, start, self._at)
            changes: list[StoredEntry] = []
            for frame in told:
                if frame.kind is Kind.REPORT:
                    self.report.add(json.loads(frame.body))
                else:
                    changes += [
                        StoredEntry(store, number or 0, key or b"", value)
                        for store, key, value, _, _, number, _ in unpack(frame.body)
                    ]
            self.read_model.apply(self.batch, changes)
        return self

    def results(self, topic: str) -> list[LogRecord]:
        """The records of a topic, partition by partition."""
        if topic not in self.log.topics():
            return []
        numbers = range(self.log.partitions(topic))
        return [
            record
            for number in numbers
            for batch in self.log.read(topic, number, 0, self.log.end_offset(topic, number))
            for record in batch
        ]

    def store(self, name: str) -> list[StoreRow]:
        """The rows of a store, as the read model has them."""
        if name not in self.read_model.stores():
            return []
        key, value = (self.plan.ports.codecs.for_state(found) for found in store_types(self.topology.stores[name]))
        entries = self.read_model.entries(name)
        return rows_of(self.topology.stores[name], [StoreChange(key.decode(e.key), value.decode(e.value)) for e in entries])

    def _run_batch(self, reader: EventReader, start: Offset, end: Offset) -> list[Frame]:
        rows = [
            Row(task_of(group, self.groups), stage, frame)
            for partition in reader.partitions(start, end)
            for found in reader.read(partition)
            for group, stage, frame in zip(*(column.to_pylist() for column in found.columns), strict=True)
        ]
        for stage in self.plan.stateful:
            own = [row for row in rows if row.stage == stage]
            rows = [row for row in rows if row.stage != stage]
            for task in sorted({row.task for row in own}):
                frames = [unwrap(row.frame) for row in own if row.task == task]
                self._random.shuffle(frames)
                rows += self._run_task(stage, task, frames)
        assert {row.stage for row in rows} <= {END}
        self._random.shuffle(rows)
        return [frame for slot in range(self.groups) for frame in self._write(slot, rows)]

    def _write(self, slot: int, rows: list[Row]) -> Iterator[Frame]:
        own = [
            unwrap(row.frame) for row in rows if (0 if self.plan.options.order == "arrival" else row.task % self.groups) == slot
        ]
        return write_slot(self.plan, slot, self.batch, own)

    def _run_task(self, stage: int, task: int, frames: list[Frame]) -> list[Row]:
        place = (stage, task)
        cells = self._cells.setdefault(place, Cells())
        worker = self._random.choice(self._workers)
        now = frames[0].now_ms
        held = worker.pop(place, None) or Held(ChunkedState(), HostedTask(self.plan, stage, task, now))
        missed = held.state.catch_up(cells)
        if missed.anew:
            held = Held(held.state, HostedTask(self.plan, stage, task, now))
        held.hosted.restore(missed.changes)
        rows = list(held.hosted.run(frames, now))
        held.state.commit(cells, held.hosted.changes)
        worker[place] = held
        return rows


class _Local(Shipped):
    """A plan that stays in this process."""

    def __init__(self, plan: Plan) -> None:
        self.name = str(id(plan))
        self._plan = plan

    @property
    def value(self) -> Plan:
        return self._plan


def drops_of(counted: Counter[tuple[str, str]] | dict[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    """Drops that can be compared."""
    return {place: number for place, number in counted.items() if number}
