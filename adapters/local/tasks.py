"""The tasks that this process runs: passes offset ranges to their hosts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.ports.task_streams import Available
from eddyline.application.runtime.input.interruption import NEVER, Interruption
from eddyline.application.runtime.input.record_queue import OffsetRange
from eddyline.application.runtime.input.task_input import TaskIdling, TaskInput
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.progress.report import RunReport
from eddyline.application.runtime.task.exchange import Exchange, TaskId
from eddyline.application.runtime.task.host import TaskHost


class LocalTasks(Exchange):
    """Runs tasks over what a feed makes available; `results` has what they have sent to the event sink.

    Args:
        plan: the plan of the run, whose log the tasks read.
        partitions: the partitions of the log that each task reads.
        report: receives the counts of the tasks.
        waits: whether tasks wait for empty partitions, as `max_task_idle_ms` says.
        interruption: interrupts a step between two records, unless these are taken by arrival.

    Attributes:
        taken: the number of offsets that were processed, by all tasks together.
        sent_bytes: the bytes of the keys and values that tasks have sent since the last commit; a step that exceeds
            `input_buffer_max_bytes` is interrupted.
    """

    def __init__(
        self,
        plan: RunPlan,
        partitions: Mapping[TaskId, tuple[TopicPartition, ...]],
        report: RunReport,
        *,
        waits: bool,
        interruption: Interruption = NEVER,
    ) -> None:
        super().__init__(plan)
        self._plan, self._partitions, self._report = plan, partitions, report
        self._waits = waits and plan.options.max_task_idle_ms > 0 and plan.options.order == "timestamp"
        self._more_counts = plan.options.max_task_idle_ms >= 0
        self._reading: dict[TopicPartition, list[TaskId]] = {}
        for task, found in partitions.items():
            for partition in found:
                self._reading.setdefault(partition, []).append(task)
        self._idling: dict[TaskId, TaskIdling] = {}
        self._ends: dict[TopicPartition, int] = {}
        self._available, self._now_ms, self._committing = Available(), 0, False
        self.interruption = NEVER if self._by_arrival else interruption
        self._interrupted: dict[TaskId, None] = {}
        self._first = 0
        self._skipped: int | None = None
        self.taken = 0
        self._unreported: set[TaskId] = set()
        self._due: dict[TaskId, int] = {}
        self._left: set[TaskId] = set()
        self._moved: set[TopicPartition] = set()
        self.hosts: dict[TaskId, TaskHost] = {}
        self.positions: dict[TaskId, dict[TopicPartition, int]] = {}
        self.dirty: set[TaskId] = set()

    def add(self, task: TaskId, host: TaskHost, positions: Mapping[TopicPartition, int]) -> None:
        """Run a task from now on, from these positions on."""
        self.hosts[task], self.positions[task] = host, dict(positions)
        self._note_due(task, host)

    def remove(self, task: TaskId) -> TaskHost:
        """Run a task no longer; return its host."""
        self.report()
        del self.positions[task]
        self.dirty.discard(task)
        self._idling.pop(task, None)
        self._due.pop(task, None)
        self._left.discard(task)
        self._interrupted.pop(task, None)
        return self.hosts.pop(task)

    def report(self) -> None:
        """Report what tasks have counted since the last report."""
        for task in self._unreported:
            self._report.add(self.hosts[task].report())
        self._unreported.clear()

    def forget_ends(self) -> None:
        """Forget what is available: the feed begins again at the positions."""
        self._ends.clear()
        self._left = {task for task, host in self.hosts.items() if host.waiting}
        self._interrupted.clear()

    def lowest_positions(self) -> dict[TopicPartition, int]:
        """Return the next offset to read by partition; of a partition that several tasks read, the lowest."""
        found: dict[TopicPartition, int] = {}
        for positions in self.positions.values():
            found.update({at: min(offset, found.get(at, offset)) for at, offset in positions.items()})
        return found

    def take_moved(self) -> Iterator[tuple[TopicPartition, int]]:
        """Yield the partitions that were read since the last call, with the lowest of the next offsets to read."""
        moved, self._moved = self._moved, set()
        for at in moved:
            positions = [self.positions[task][at] for task in self._reading[at] if task in self.positions]
            if positions:
                yield at, min(positions)

    def has_left(self) -> bool:
        """Return whether a task has left records that were available."""
        return bool(self._left)

    @property
    def is_interrupted(self) -> bool:
        """Whether records of repartition topics wait since the last step was interrupted, so that `resume` continues it."""
        return bool(self._interrupted)

    def is_waiting(self) -> bool:
        """Return whether a task has left records of repartition topics."""
        return any(host.waiting for host in self.hosts.values())

    # --- processing ---------------------------------------------------------------------------------------------------

    def step(self, available: Available, now_ms: int, *, due: Iterable[TaskId] = ()) -> list[SinkRecord]:
        """Process what is available, and the tasks that are due; return what was sent to the event sink."""
        self._available, self._now_ms = available, now_ms
        self._first, self._skipped = self._skipped or 0, None
        self._ends.update(available.ends)
        pending = set(due)
        for partition in available.ends:
            pending.update(self._reading.get(partition, ()))
        pending |= self._left
        for task in pending:
            if task in self.hosts:
                self.inputs[task] = self.new_input(task)
        return self.run_all()

    def resume(self, now_ms: int, *, due: Iterable[TaskId] = ()) -> list[SinkRecord]:
        """Continue a step that was interrupted, and process the tasks that are due; return what was sent to the event sink."""
        self._now_ms = now_ms
        for task in (*self._interrupted, *due):
            if task in self.hosts:
                self.inputs[task] = self.new_input(task)
        self._interrupted.clear()
        return self.run_all()

    def retract(self) -> dict[TopicPartition, int]:
        """Forget the records that were available and left, as after an interruption; return where their partitions continue."""
        positions, ends = self.lowest_positions(), self._ends
        found = {at: positions[at] for at, end in ends.items() if at in positions and positions[at] < end}
        self._ends = {at: end for at, end in ends.items() if at not in found}
        self._available = Available({}, {*self._available.more, *found}, self._available.partial)
        return found

    def commit(self, now_ms: int) -> list[SinkRecord]:
        """Let the tables of tasks that have processed anything forward their latest updates; return what was sent."""
        self._committing, self._now_ms = True, now_ms
        try:
            for task in self.dirty:
                self.inputs[task] = self.new_input(task)
            return self.run_all()
        finally:
            self._committing = False

    @property
    def needs_commit(self) -> bool:
        """Whether more was sent since the last commit than is kept in memory."""
        return self.sent_bytes > self._plan.options.input_buffer_max_bytes

    def wants_commit(self) -> bool:
        """Return whether a processor has requested a commit, or too much was sent since the last one."""
        return self.needs_commit or any(self.hosts[task].task.commit_requested for task in self.dirty)

    def next_due(self) -> int | None:
        """Return the time of the next punctuation by the system clock, in ms since the epoch; None if there is none."""
        return min(self._due.values()) if self._due else None

    def due(self, now_ms: int) -> list[TaskId]:
        """Return the tasks with a punctuation by the system clock that is due."""
        return [task for task, time_ms in self._due.items() if time_ms <= now_ms] if self._due else []

    def _note_due(self, task: TaskId, host: TaskHost) -> None:
        time_ms = host.next_wall_clock_due()
        if time_ms is None:
            self._due.pop(task, None)
        else:
            self._due[task] = time_ms

    def _has_left(self, task: TaskId, positions: Mapping[TopicPartition, int]) -> bool:
        """Return whether a task has left records that were available."""
        ends = self._ends
        for at, offset in positions.items():
            if ends.get(at, 0) > offset:
                return True
        return bool(self.hosts[task].waiting)

    def new_input(self, task: TaskId) -> TaskInput:
        """Return what a task can read now."""
        ends, more, partial, ranges = self._ends, self._available.more, self._available.partial, list[OffsetRange]()
        for partition, offset in self.positions[task].items():
            end = ends.get(partition, offset)
            continues = partition in more
            partial = partial or continues
            ranges.append(OffsetRange(*partition, offset, max(offset, end), continues and self._more_counts))
        if self._waits:
            ranges = self._with_waits(task, ranges)
        return TaskInput(ranges, partial=partial, commit=self._committing)

    def _with_waits(self, task: TaskId, ranges: Sequence[OffsetRange]) -> list[OffsetRange]:
        """Return offset ranges with the waits for empty partitions, which tasks do not wait for in topics of global tables."""
        of_global_tables = [found for found in ranges if found.topic in self._plan.global_topics]
        own = [found for found in ranges if found.topic not in self._plan.global_topics]
        idling = self._idling.setdefault(task, TaskIdling(self._plan.options.max_task_idle_ms))
        return [*idling.with_waits(own, self._now_ms), *of_global_tables]

    def order(self, task: TaskId) -> tuple[int, ...]:
        """Return what the tasks of a sub-topology are ordered by: one that was not reached comes first."""
        return task[1] < self._first, task[1]

    def process(self, task: TaskId, given: TaskInput) -> None:
        """Run a task over its input, unless the step was interrupted."""
        host, positions = self.hosts[task], self.positions[task]
        if self.interruption.requested and not self._committing:
            self._skip(task, host, given)
            return
        for _ in host.run(given, self._now_ms):
            if self.needs_commit and not self._committing and self.interruption is not NEVER:
                self.interruption.requested = True
        left = host.unread
        for topic, number, start, end, _ in given.offsets:
            partition = TopicPartition(topic, number)
            unread = left.get(partition)
            positions[partition] = at = end if unread is None else unread
            self.taken += at - start
            self._moved.add(partition)
        if not self._has_left(task, positions):
            self._left.discard(task)
        else:
            self._left.add(task)
            if host.waiting and self.interruption.requested:
                self._interrupted[task] = None
        self.dirty.add(task)
        self._unreported.add(task)
        self._note_due(task, host)

    def _skip(self, task: TaskId, host: TaskHost, given: TaskInput) -> None:
        host.leave(given)
        if self._skipped is None:
            self._skipped = task[1]
        if host.waiting:
            self._interrupted[task] = None
            self._left.add(task)
            self.dirty.add(task)
