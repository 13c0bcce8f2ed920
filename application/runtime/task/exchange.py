"""The tasks of one process: those with input run, and what they send reaches each other, or is kept for the event sink."""

from abc import ABC, abstractmethod
from typing import TypeAlias

from eddyline.application.ports.event_log import LogRecord, TopicPartition
from eddyline.application.ports.event_sink import Results, SinkRecord
from eddyline.application.runtime.input.task_input import TaskInput
from eddyline.application.runtime.output.record_collector import Outlet
from eddyline.application.runtime.plan.run_plan import RunPlan, upstream_first

TaskId: TypeAlias = tuple[int, int]
"""The index of a sub-topology and a partition."""


class Exchange(ABC):
    """Runs the tasks of a process that have input, those upstream first, until none has.

    Args:
        plan: the plan of the run.

    Attributes:
        inputs: the inputs of the tasks that have any.
        sent_bytes: the bytes of the keys and values that tasks have sent; who takes them sets it to 0.
    """

    def __init__(self, plan: RunPlan) -> None:
        ordered, cyclic = upstream_first(plan.topology)
        self._rank = {sub: rank for rank, sub in enumerate((*ordered, *cyclic))}
        self._readers, self._by_arrival = plan.readers, plan.options.order == "arrival"
        self.inputs: dict[TaskId, TaskInput] = {}
        self.sent_bytes = 0
        self._sent: list[SinkRecord] = []
        self._arrivals: list[int] = []

    @abstractmethod
    def process(self, task: TaskId, given: TaskInput) -> None:
        """Run a task over its input."""

    @abstractmethod
    def new_input(self, task: TaskId) -> TaskInput:
        """Return the input of a task that has none, and to which another one sends records."""

    def order(self, task: TaskId) -> tuple[int, ...]:
        """Return what the tasks of a sub-topology are ordered by."""
        return (task[1],)

    def run_all(self) -> list[SinkRecord]:
        """Run the tasks that have input; return what was sent to the event sink, by arrival where the run is ordered by it.

        A task runs when no task upstream has input, however many sub-topologies are between them, since it takes the records of
        all its topics in the order of their timestamps.
        """
        rank, inputs = self._rank, self.inputs
        while inputs:
            first = min(rank[sub] for sub, _ in inputs)
            for task in sorted((task for task in inputs if rank[task[0]] == first), key=self.order):
                self.process(task, inputs.pop(task))
        sent, self._sent, arrivals, self._arrivals = self._sent, [], self._arrivals, []
        return [sent[index] for index in sorted(range(len(sent)), key=arrivals.__getitem__)] if self._by_arrival else sent

    def outlet(self, partition: int) -> Outlet:
        """Return where the record collector of a task with this partition sends its records."""
        return _Outlet(partition, self)

    def deliver(self, record: LogRecord, to: TopicPartition, sender: int) -> None:
        """Add a record to the input of the task that reads a partition of a repartition topic."""
        self._count(record.key, record.value)
        self._input_of(to).receive(record, sender)

    def deliver_all(self, records: Results, to: TopicPartition, sender: int) -> None:
        """Add many records likewise."""
        self._count_all(records)
        self._input_of(to).receive_all(records, to.partition, sender)

    def gather(self, record: SinkRecord, arrival: int) -> None:
        """Keep a record for the event sink."""
        self._count(record.key, record.value)
        self._sent.append(record)
        if self._by_arrival:
            self._arrivals.append(arrival)

    def gather_all(self, results: Results) -> None:
        """Keep records for the event sink that are not ordered by arrival."""
        self._count_all(results)
        self._sent.extend(results.records())

    def _input_of(self, to: TopicPartition) -> TaskInput:
        task = self._readers[to.topic], to.partition
        received = self.inputs.get(task)
        if received is None:
            received = self.inputs[task] = self.new_input(task)
        return received

    def _count_all(self, results: Results) -> None:
        for column in (results.keys, results.values):
            self.sent_bytes += sum(map(len, filter(None, column)))

    def _count(self, key: bytes | None, value: bytes | None) -> None:
        self.sent_bytes += len(key or b"") + len(value or b"")


class _Outlet(Outlet):
    """Passes on the records of one task."""

    def __init__(self, partition: int, exchange: Exchange) -> None:
        self._partition, self._exchange = partition, exchange

    def send(self, record: SinkRecord, arrival: int, to: TopicPartition | None = None) -> None:
        if to is None:
            self._exchange.gather(record, arrival)
        else:
            topic, key, value, timestamp, headers, _ = record
            sent = LogRecord(topic, to.partition, 0, timestamp, key, value, headers, arrival)
            self._exchange.deliver(sent, to, self._partition)

    def send_all(self, results: Results) -> None:
        self._exchange.gather_all(results)

    def send_to(self, records: Results, to: TopicPartition) -> None:
        self._exchange.deliver_all(records, to, self._partition)
