"""Runs a task in a worker: frames and entries of the state in, rows out; independent of Spark's API."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import repeat
from typing import Any

from eddyline.adapters.spark.exchange.columns import Columns, Fields, Packed, pack_records, unpack_columns, unpack_fields
from eddyline.adapters.spark.exchange.frame_writer import FrameWriter
from eddyline.adapters.spark.exchange.frames import Frame, Kind
from eddyline.adapters.spark.exchange.reports import machine_ms, pack_report
from eddyline.adapters.spark.exchange.rows import Row
from eddyline.adapters.spark.exchange.task_results import TaskResults
from eddyline.adapters.spark.plan import SparkPlan
from eddyline.adapters.spark.state.chunks import Entry
from eddyline.adapters.spark.state.entries import EntryCodec
from eddyline.application.ports.event_log import LogRecord, log_record
from eddyline.application.ports.event_sink import Results, SinkRecord
from eddyline.application.ports.state_stores import StateStores, TaskStateStores
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.runtime.input.task_input import TaskInput
from eddyline.application.runtime.plan.changelogs import BatchProgress, entry_record, progress_records
from eddyline.application.runtime.task.host import TaskHost
from eddyline.application.runtime.task.stores import entry_count


class HostedTask:
    """A task host in a worker, with the state stores of the run or with `stores` of its own.

    After each batch, `changes` has the entries of the state that it changed.
    """

    def __init__(self, plan: SparkPlan, stage: int, task: int, now_ms: int, stores: StateStores | None = None) -> None:
        self._plan, self.stage, self.number, self.stores = plan, stage, task, stores or plan.run.ports.stores
        self._results = TaskResults()
        keep = None if plan.by_arrival else self._keep
        self._writer = FrameWriter(stage, task, plan.stages, keep, sequenced=plan.by_arrival)
        self.host = TaskHost(plan.run, plan.line[stage], task, self._writer, now_ms=now_ms, stores=self.stores)
        self.changes: list[Entry] = []
        self._imported: list[Entry] = []
        self._changelogs = plan.run.changelogs.get(plan.line[stage], {})
        self._entries = EntryCodec(self.host.task, plan.run.ports.codecs)

    def close(self) -> None:
        """Close the processors of the task and release its stores; it must not be used any more."""
        with ExitStack() as closed:
            closed.callback(self._release_stores)
            closed.callback(self.close_processors)

    def close_processors(self) -> None:
        """Close the processors of the task, whose stores another one uses from now on."""
        self.host.task.close_processors()

    def _release_stores(self) -> None:
        if isinstance(self.stores, TaskStateStores):
            self.stores.close()

    def restore(self, entries: Iterable[Entry]) -> None:
        """Restore the task from entries of the state."""
        self.host.task.restore(self._entries.restored(entries))
        self.host.waiting.clear()
        waiting: dict[tuple[str, int], list[LogRecord]] = {}
        for fields in map(unpack_fields, self._entries.waiting):
            for sender, record in zip(fields.partitions, self._records(fields), strict=True):
                waiting.setdefault((record.topic, sender or 0), []).append(record)
        self.host.waiting.update(waiting)

    def begin_with(self, entries: list[Entry]) -> None:
        """Restore the task from imported entries; they count as changes of the next batch, which stores them."""
        self.restore(entries)
        self._imported = entries

    def run(self, frames: Sequence[Frame], now_ms: int, commit: Callable[[Sequence[Entry]], int] | None = None) -> Iterator[Row]:
        """Process a batch; yield the rows that the task sends.

        `commit` stores the changed entries, if the task has state, and returns the bytes that its state takes.
        """
        began_ms = machine_ms()
        imported, self._imported = self._imported, []
        self.changes = []
        self._results = TaskResults()
        self._writer.begin(now_ms)
        for _ in self.host.run(self._input(frames), now_ms):
            yield from self._writer.full_rows()
        yield from self._writer.flush()
        self.changes = [
            *imported,
            *self._entries.positions(self.host.unread),
            *self._entries.set_waiting(self._waiting_frames()),
            *self._entries.drained(),
        ]
        if self._plan.with_changes:
            yield from self._change_rows()
        if self._plan.by_arrival and self._changelogs:
            yield from self._changelog_rows()
        size_bytes = commit(self.changes) if commit is not None else None
        report = self.host.report()
        if report.consumed or report.dead_letters or report.drops or report.skipped or report.metrics:
            if size_bytes is not None and report.state is not None:
                entries = entry_count(self.host.task.stores.values())
                report = report._replace(state=report.state._replace(entries=entries, size_bytes=size_bytes))
            yield self._writer.row(Kind.REPORT, pack_report(report._replace(times=(began_ms, machine_ms()))))

    def take_results(self) -> TaskResults:
        """Return what the task has to write after a batch; the task does not keep it any longer.

        It is empty if results are written in the order of arrival: then they are among the rows that the task sends.
        """
        taken, self._results = self._results, TaskResults()
        return taken

    def changelog(self, batch: BatchProgress) -> Iterator[SinkRecord]:
        """Yield what the changelogs of the stores get after a batch: the changed entries, and the progress of the task.

        There is none if results are written in the order of arrival, as above.
        """
        if self._changelogs and not self._plan.by_arrival:
            yield from self._changelog_entries()
            yield from progress_records(self._changelogs.values(), self.number, self.host.task.stream_time, batch)

    def timer_due(self) -> int | None:
        """Return the time of the next punctuation by the system clock, in ms since the epoch; None if there is none."""
        return self.host.next_wall_clock_due()

    def _input(self, frames: Sequence[Frame]) -> TaskInput:
        """Return the input in the frames; the records of each sender stay in the order in which it sent them."""
        given = TaskInput()
        for frame in sorted(frames):
            if frame.kind in (Kind.RANGES, Kind.PARTIAL_RANGES):
                given.offsets += map(self._continued, json.loads(frame.body))
                given.partial = frame.kind is Kind.PARTIAL_RANGES
            else:
                self._receive(frame, given)
        return given

    def _receive(self, frame: Frame, given: TaskInput) -> None:
        if self._plan.by_arrival:
            for record in self._records(unpack_fields(frame.body)):
                given.receive(record, frame.sender.task)
        else:
            for records in unpack_columns(frame.body).results():
                given.receive_all(records, self.number, frame.sender.task)

    def _records(self, fields: Fields) -> Iterator[LogRecord]:
        """Return the records of repartition topics in a frame."""
        arrivals = (None if sequence is None else sequence.arrival for sequence in fields.sequences)
        columns = (fields.topics, repeat(self.number), repeat(0), fields.timestamps, fields.keys, fields.values)
        return map(log_record, zip(*columns, fields.headers, arrivals, repeat(None), strict=False))

    def _waiting_frames(self) -> Iterator[bytes]:
        """Yield the records that wait for the next batch as frames; their partition is that of the sender."""
        return pack_records(
            Packed(topic, record.key, record.value, record.timestamp, record.headers, sender)
            for (topic, sender), records in self.host.waiting.items()
            for record in records
        )

    def _continued(self, found: Sequence[Any]) -> OffsetRange:
        """Return an offset range without what the task has processed of it already."""
        offsets = OffsetRange(*found)
        position = self._entries.position(offsets.topic, offsets.partition)
        return offsets if position is None else offsets._replace(start=min(position, offsets.start))

    def _keep(self, results: Columns | Results) -> None:
        self._results.add(results)

    def _changelog_entries(self) -> Iterator[SinkRecord]:
        stream_time = self.host.task.stream_time
        return (
            entry_record(self._changelogs[store], self.number, key, value, stream_time)
            for store, key, value in self._entries.store_changes(self.changes)
            if store in self._changelogs
        )

    def _changelog_rows(self) -> Iterator[Row]:
        for body in pack_records(Packed(*record) for record in self._changelog_entries()):
            yield self._writer.row(Kind.CHANGELOG, body)
        yield self._writer.row(Kind.STREAM_TIME, json.dumps(self.host.task.stream_time).encode())

    def _change_rows(self) -> Iterator[Row]:
        changes = self._entries.store_changes(self.changes)
        for body in pack_records(Packed(store, key, value, 0, (), self.number) for store, key, value in changes):
            yield self._writer.row(Kind.CHANGES, body)
