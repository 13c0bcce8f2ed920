"""Tasks that track origins: the operators and their order are those of every task."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from eddyline.application.lineage.origins import Origins, Traced, Triggered, plain
from eddyline.application.lineage.traced_stores import traced_store
from eddyline.application.lineage.tracker import Tracker, Wanted
from eddyline.application.lineage.transit import OutputValue, Transit
from eddyline.application.operators.context import NO_TIME, Cell, Forward, TableForward, UpdatesForward
from eddyline.application.operators.output import Output
from eddyline.application.ports.event_log import Position
from eddyline.application.runtime.input.record_queue import IncomingRecord
from eddyline.application.runtime.output.record_collector import Outlet
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.task.context import TaskContext, many_changes, one_by_one
from eddyline.application.runtime.task.creation import create_task
from eddyline.application.runtime.task.guarded import GuardedTask
from eddyline.application.runtime.task.host import TaskHost
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology.exception_handlers import ErrorContext
from eddyline.application.topology.records import Headers, SourceRecord


class _TracedCell(Cell):
    """A number of an operator, with the origins of its value."""

    __slots__ = ("_cell", "_origins", "_tracker")

    def __init__(self, cell: Cell, tracker: Tracker) -> None:
        self._cell, self._tracker = cell, tracker
        self._origins: Origins = None

    @property
    def value(self) -> int:
        tracker = self._tracker
        if tracker.in_commit:
            tracker.cells.append(self._origins)
        else:
            tracker.influence(self._origins)
        return self._cell.value

    @value.setter
    def value(self, value: int) -> None:
        if value != self._cell.value:
            self._cell.value = value
            self._origins = self._tracker.trigger


class _TracedOutput:
    """Appends the output of sinks with its origins."""

    def __init__(self, output: list[Output], tracker: Tracker, wanted: Wanted | None) -> None:
        self._output, self._tracker, self._wanted = output, tracker, wanted

    def __len__(self) -> int:
        """Return the number of outputs."""
        return len(self._output)

    def append(self, output: Output) -> None:
        """Append a record that a sink writes."""
        topic, key, value, timestamp, headers, sink = output
        wanted = self._wanted
        if wanted is not None and (timestamp != wanted.timestamp or topic != wanted.topic) and not output.internal:
            return
        traced = OutputValue(value, self._tracker.of_output(value), self._tracker.cause_record)
        self._output.append(Output(topic, key, traced, timestamp, headers, sink))


class _Tracing(TaskContext):
    """What a task does to track origins; `transits` returns the record of a repartition topic at a position."""

    tracker: Tracker
    transits: Callable[[Position], Any]
    orders: dict[tuple[str, int], int]

    def process_record(self, record: SourceRecord) -> None:
        """Process a record with its origins."""
        position = Position(record.topic, record.partition, record.offset)
        transit = self.transits(position)
        if isinstance(transit, Transit):
            trigger, value, cause = transit.origins, transit.traced(record.value), transit.record
        else:
            trigger = cause = self.tracker.origin(position, self._order(record))
            value = None if record.value is None else Traced(record.value, trigger)
        self.tracker.begin(trigger, cause)
        super().process_record(record._replace(value=value))  # type: ignore[misc] # that of the task it is mixed into

    def process_all(self, records: Iterable[IncomingRecord]) -> Sequence[int]:
        """Process records in order, each with its origins."""
        return self.process_each(records)  # type: ignore[attr-defined,no-any-return]

    def advance_wall_clock(self, now_ms: int) -> None:
        """Advance the wall clock, which no record causes."""
        self.tracker.begin(None)
        super().advance_wall_clock(now_ms)  # type: ignore[misc]

    def follow_wall_clock(self) -> bool:
        """Advance stream time by the wall clock, which no record causes."""
        self.tracker.begin(None)
        return super().follow_wall_clock()  # type: ignore[misc,no-any-return]

    def store(self, name: str) -> Any:
        return traced_store(self._stores[name], self.tracker)

    def cell(self, name: str) -> Cell:
        return _TracedCell(super().cell(name), self.tracker)

    @property
    def output(self) -> Any:
        return _TracedOutput(self._output, self.tracker, None if self.undo is not None else self.tracker.wanted)

    def on_commit(self, callback: Callable[[], None], node: str | None = None) -> None:
        def commit() -> None:
            self.tracker.begin(None, commit=True)
            callback()

        super().on_commit(commit, node)

    def updates_forward(self, node: str, forward: TableForward) -> UpdatesForward:
        """Return a function that forwards one by one, so that each has its origins."""
        del node
        return many_changes(one_by_one(self.isolated(forward)))

    def isolated(self, forward: Forward) -> Forward:
        """Return a function whose values are caused by the current record, although they are made of others."""
        tracker = self.tracker

        def emit(*record: Any) -> None:
            before, cause = tracker.trigger, tracker.cause()
            first = next((index for index, part in enumerate(record) if type(part) is Traced), None)
            made_of = tracker.deleted.get(record[0]) if first is None else record[first].origins
            is_enough = cause is None or cause is made_of or (tracker.watched is not None and made_of is not None)
            origins = made_of if is_enough else Triggered(made_of, cause)
            parts = [Traced(part.value, origins) if index == first else part for index, part in enumerate(record)]
            tracker.trigger = origins
            try:
                forward(*parts)
            finally:
                tracker.trigger = before

        return super().isolated(emit)

    def drop(
        self, node: str, reason: str, key: Any, value: Any, timestamp: int, headers: Headers, late_windows: int = 0, /
    ) -> None:
        if self.tracker.is_watching:
            self.tracker.note("dropped", node, reason, timestamp=timestamp, stream_time=self.stream_time_of(node))
        super().drop(node, reason, key, value, timestamp, headers, late_windows)

    def stream_time_of(self, node: str) -> int:
        """Return the stream time of an operator, or that of the task if it has none of its own."""
        names = [name for name in (node, f"{node}:stream-time") if name in self._numbers.names]
        return self._numbers.cell(names[0]).value if names else self.stream_time

    def _order(self, record: SourceRecord) -> int:
        """Return what a record is ordered by: its time, or that of an earlier record of its partition if that is greater."""
        source = (record.topic, record.partition)
        order: int | None = record.timestamp
        if self._sources[record.topic][1] is not None:  # type: ignore[attr-defined]
            try:
                order = self.event_time(record)  # type: ignore[attr-defined]
            except Exception:  # noqa: BLE001 - processed next, the record fails again
                order = NO_TIME
        self.orders[source] = max(self.orders.get(source, NO_TIME), NO_TIME if order is None else order)
        return self.orders[source]


class TracedTask(_Tracing, Task):
    """A task that ends the run at an exception."""

    def __init__(self, *args: Any, tracker: Tracker, transits: Callable[[Position], Any], **options: Any) -> None:
        self.tracker, self.transits, self.orders = tracker, transits, {}
        super().__init__(*args, **options)


class TracedGuardedTask(_Tracing, GuardedTask):
    """A task that goes on after an exception."""

    def __init__(self, *args: Any, tracker: Tracker, transits: Callable[[Position], Any], **options: Any) -> None:
        self.tracker, self.transits, self.orders = tracker, transits, {}
        super().__init__(*args, **options)

    def _handle(self, error: Exception, context: ErrorContext, setting: str) -> None:
        if self.tracker.is_watching:
            self.tracker.note("failed", context.operator, f"{type(error).__name__}: {error}")
        super()._handle(error, context, setting)


class TracedTaskHost(TaskHost):
    """Hosts a task that tracks origins.

    Args:
        plan: The plan, with a topology whose functions pass origins on.
        sub_topology: The index of the sub-topology.
        partition: The partition.
        outlet: Receives what the task sends.
        now_ms: The wall-clock time in ms since the epoch.
        tracker: The tracker.
        orders: What records are ordered by, by position; for others it is their event time.
    """

    def __init__(
        self,
        plan: RunPlan,
        sub_topology: int,
        partition: int,
        outlet: Outlet,
        *,
        now_ms: int,
        tracker: Tracker,
        orders: Mapping[Position, int],
    ) -> None:
        self._tracker, self._orders = tracker, orders
        super().__init__(plan, sub_topology, partition, outlet, now_ms=now_ms)

    def _begin(self) -> None:
        super()._begin()
        self.task.orders.clear()  # type: ignore[attr-defined]

    def _create_task(self, sub_topology: int, now_ms: int) -> Task:
        return create_task(
            self._plan,
            sub_topology,
            self._partition,
            now_ms=now_ms,
            produce=self._collector.routed,
            classes=(TracedTask, TracedGuardedTask),
            stored=plain,
            stores=self._plan.ports.stores,
            tracker=self._tracker,
            transits=self._transit,
        )

    def _record_order(self) -> Callable[[IncomingRecord], int]:
        natural, orders = super()._record_order(), self._orders
        if self._by_arrival or not orders:
            return natural

        def order_of(record: IncomingRecord) -> int:
            found = orders.get(Position(record.topic, record.partition, record.offset))
            return natural(record) if found is None else found

        return order_of

    def _keeps_received(self) -> bool:
        return True

    def _transit(self, position: Position) -> Any:
        return self._queues.sent(position)
