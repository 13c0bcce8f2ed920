"""A task that goes on after an exception: the record that failed is undone, as if it had never been taken."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

from eddyline.application.operators.context import DropReason, Forward, UpdatesForward
from eddyline.application.operators.output import Output
from eddyline.application.operators.table_join_columns import OneByOneError
from eddyline.application.operators.update_columns import UpdateColumns
from eddyline.application.ports.codec import CodecUnavailableError
from eddyline.application.ports.state_store import StoreChange, UndoLog
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.input.record_queue import IncomingRecord
from eddyline.application.runtime.output.record_collector import ColumnsOutput
from eddyline.application.runtime.plan.failures import ExceptionHandlers, Failure, OutputError, note_failure
from eddyline.application.runtime.task.context import Punctuation
from eddyline.application.runtime.task.paths import Path
from eddyline.application.runtime.task.stores import UndoableDict
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology
from eddyline.application.topology.exception_handlers import PROCESSING, PRODUCTION, ErrorContext, response_of
from eddyline.application.topology.nodes import Node, ProcessorNode, RepartitionSinkNode, SinkNode
from eddyline.application.topology.processor import PunctuationType
from eddyline.application.topology.records import Headers, SourceRecord

Produce: TypeAlias = Callable[[Sequence[Output]], Sequence[Any]]
"""Encodes and routes outputs. Raises OutputError for an output that cannot be written."""


class GuardedTask(Task):
    """A task whose exceptions are passed to exception handlers.

    Whatever may fail by itself is a unit: a record, a punctuation, and each update that no single record causes, such as the
    result of a window that closes. If a unit fails, all that it has changed is undone, including stores, stream time and
    outputs. Records are processed together as long as none of them fails; functions are called again for those beside one that
    fails. Units may be nested: when a window closes, its result may fail although the record that closed it does not; while many
    records are a unit, those in it are not.

    Args:
        topology: the topology.
        sub_topology: the index of the sub-topology.
        partition: the partition.
        handlers: the exception handlers.
        stores: the state stores.
        produce: encodes the outputs of each unit, for `take_routed`; by default they stay in `take_output`.
        produce_columns: does so for outputs by column; by default `produce` does it.
        check_state: called with the entries that a unit has put into stores, by store; raises an exception if one cannot be.
        options: the other arguments of `Task`.
    """

    undo: UndoLog

    def __init__(
        self,
        topology: Topology,
        sub_topology: int,
        partition: int,
        *,
        handlers: ExceptionHandlers,
        stores: StateStores,
        produce: Produce | None = None,
        produce_columns: Callable[[ColumnsOutput], Sequence[Any]] | None = None,
        check_state: Callable[[Iterable[tuple[str, StoreChange]]], None] | None = None,
        **options: Any,
    ) -> None:
        self._handlers, self._produce, self._check_state = handlers, produce, check_state
        self._produce_columns = produce_columns or (lambda columns: produce(list(columns.outputs())) if produce else ())
        self._failures: list[Failure] = []
        self._routed: list[Any] = []
        self._depth, self._many = 0, False
        self._fatal: BaseException | None = None
        self.undo = UndoLog()
        super().__init__(topology, sub_topology, partition, stores=stores.undoable(self.undo), **options)
        nodes = self._own_nodes()
        self._repeatable = not any(isinstance(node, ProcessorNode) or _has_partitioner(node) for node in nodes)
        self._latest_only = {
            name for name in self._stores if all(self.is_cached(node.name) for node in nodes if name in node.stores)
        }

    def take_failures(self) -> list[Failure]:
        """Return the failures since the last call after which the run goes on."""
        taken, self._failures = self._failures, []
        return taken

    def take_routed(self) -> list[Any]:
        """Return what `produce` has returned since the last call."""
        taken, self._routed = self._routed, []
        return taken

    # --- units ----------------------------------------------------------------------------------------------------------

    def process_record(self, record: SourceRecord) -> None:
        """Process a record; if it fails, pass the exception to the handlers."""
        self._run(partial(super().process_record, record), record)

    def process_all(self, records: Sequence[IncomingRecord]) -> Sequence[int]:
        """Process records in order: as a unit if none of them fails, else one half after the other, until each is a unit."""
        if len(records) == 1 or not self._repeatable:
            return self.process_each(records)
        done: Sequence[int] = ()
        path = None if self._by_stream_time else self._path

        def process() -> None:
            nonlocal done
            try:
                work = None if path is None else path.work_of(records)
            except OneByOneError:
                work = None
            if work is None:
                done = self.process_in_order(records)
            else:
                self._do(work, records)
                done = range(1, len(records) + 1)

        self._many = True
        try:
            failed = self._tried(process)
        finally:
            self._many = False
        if failed is None:
            return done
        half = len(records) // 2
        done = self.process_all(records[:half])
        if len(done) < half or self.interruption.requested:
            return done
        return [*done, *self.process_all(records[half:])]

    def together_or_each(self, path: Path, each: UpdatesForward) -> UpdatesForward:
        """Return a function that forwards many updates together as a unit, or by `each` if that fails."""

        def forward_all(updates: UpdateColumns) -> None:
            if self._tried(partial(path.take, updates)) is not None:
                each(updates)

        return forward_all

    def as_one_or_each(self, node: str, whole: Callable[[], None], each: Iterable[tuple[Any, Callable[[], None]]]) -> None:
        """Do the whole as a unit, or each part if that fails."""
        if self._tried(whole) is not None:
            for key, part in each:
                self._run(part, node=node, key=key)

    def commit(self) -> None:
        """Forward what is cached; each update is a unit."""
        super().commit()
        self._run(_nothing)

    def isolated(self, forward: Forward) -> Forward:
        """Return a function that runs `forward` as a unit."""

        def run(*record: Any) -> None:
            self._run(partial(forward, *record))

        return run

    def scratch(self) -> dict[Any, Any]:
        """Return a new dictionary whose assignments are undone with the unit in which they were made."""
        return UndoableDict(self.undo)

    def drop(
        self, node: str, reason: str, key: Any, value: Any, timestamp: int, headers: Headers, late_windows: int = 0, /
    ) -> None:
        """Count a dropped record, unless it is undone."""
        self.undo.append(partial(self._undo_drop, node, reason, late_windows))
        super().drop(node, reason, key, value, timestamp, headers, late_windows)

    def schedule(self, name: str, interval_ms: int, kind: PunctuationType, callback: Callable[[int], None]) -> Punctuation:
        """Schedule a punctuation, unless the record that schedules it is undone."""
        punctuation = super().schedule(name, interval_ms, kind, callback)
        self.undo.append(partial(self._punctuations[kind].remove, punctuation))
        return punctuation

    def _punctuate(self, punctuations: Iterable[Punctuation], now: int) -> None:
        super()._punctuate(tuple(punctuations), now)

    def _unit(self, unit: Callable[[], None], node: str) -> None:
        self._run(unit, node=node)

    def _failed(self, error: Exception, record: SourceRecord | None = None, node: str = "") -> None:
        """Leave the exception to the unit in which it was raised."""

    def _run(self, unit: Callable[[], None], record: SourceRecord | None = None, node: str = "", key: Any = None) -> None:
        failed = self._tried(unit, record, node)
        if failed is None:
            return
        error, context = failed
        if context.key is None:
            context = context._replace(key=key)
        if isinstance(error, OutputError):
            self._handle(error.error, context, PRODUCTION)
        else:
            self._handle(error, context, PROCESSING)

    def _tried(
        self, unit: Callable[[], None], record: SourceRecord | None = None, node: str = ""
    ) -> tuple[Exception, ErrorContext] | None:
        """Run a unit; if it fails, undo it, and return the exception and where it was raised.

        If it is nested in one of many records, raise the exception, so that those are processed again in smaller units.
        """
        if self._depth and self._many:
            unit()
            return None
        if self._depth:
            self._complete()  # so that what fails afterwards is part of this unit alone
        else:
            self.undo.clear()
            self.undo.changes.clear()
        undo = self._savepoint()
        self._depth += 1
        try:
            unit()
            self._complete()
        except CodecUnavailableError:
            raise
        except Exception as error:
            if error is self._fatal:
                raise
            context = self._context_of(error, record, node)
            undo()
            return error, context
        finally:
            self._depth -= 1
        return None

    def _complete(self) -> None:
        """Check what the unit has put into stores, and encode its outputs."""
        changes = self.undo.changes
        if changes:
            if self._check_state is not None:
                self._check_state(self._to_check(changes))
            changes.clear()
        if self._produce is None:
            return
        for columns in self.take_columns():
            self._routed += self._produce_columns(columns)
        if self._output:
            self._routed += self._produce(self._output)
            self._output.clear()

    def _to_check(self, changes: Sequence[tuple[str, StoreChange]]) -> Collection[tuple[str, StoreChange]]:
        """Return the changes without those that others replace before their commit, since no one sees them."""
        if self._latest_only.isdisjoint(store for store, _ in changes):
            return changes
        return {
            (store, change.key if store in self._latest_only else number): (store, change)
            for number, (store, change) in enumerate(changes)
        }.values()

    def _context_of(self, error: Exception, record: SourceRecord | None, node: str) -> ErrorContext:
        if not isinstance(error, OutputError):
            return self.error_context(error, record, node)
        output = error.output
        context = self.error_context(error, record)._replace(operator=output.sink.name)
        return context if record is not None else context._replace(key=output.key, timestamp=output.timestamp)

    def _handle(self, error: Exception, context: ErrorContext, setting: str) -> None:
        production = setting == PRODUCTION
        try:
            handler = self._handlers.production if production else self._handlers.processing
            response = response_of(handler, context, error)
        except Exception as raised:
            self._fatal = raised
            raise
        if response == "fail":
            note_failure(error, context, setting)
            self._fatal = error
            raise error
        error.add_note(str(context))
        self._failures.append(Failure(context, error, response))
        reason = DropReason.PRODUCTION_ERROR if production else DropReason.PROCESSING_ERROR
        self._drops[context.operator, reason] += 1
        self.undo.append(partial(self._undo_drop, context.operator, reason))

    # --- undoing --------------------------------------------------------------------------------------------------------

    def _savepoint(self) -> Callable[[], None]:
        """Return a function that restores the present state of the task."""
        lists: tuple[list[Any], ...] = (self._output, self._columns, self._routed, self._dropped, self._failures)
        at, lengths, stream_time = len(self.undo), [len(each) for each in lists], self.stream_time
        cells = [(cell, cell.value) for cell in self._numbers.cells]

        def undo() -> None:
            for change in reversed(self.undo[at:]):
                change()
            del self.undo[at:]
            for each, length in zip(lists, lengths, strict=True):
                del each[length:]
            self.undo.changes.clear()
            for cell, value in cells:
                cell.value = value
            self.stream_time = stream_time

        return undo

    def _undo_drop(self, node: str, reason: str, late_windows: int = 0) -> None:
        self._drops[node, reason] -= 1
        if not self._drops[node, reason]:
            del self._drops[node, reason]
        if late_windows:
            self._late_windows[node] -= late_windows


def _has_partitioner(node: Node) -> bool:
    return isinstance(node, SinkNode | RepartitionSinkNode) and node.partitioner is not None


def _nothing() -> None:
    """Do nothing but complete what was done before."""
