"""What the processes of the simulated flow share, and the clients that each has."""

import traceback
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.spark.failures import WorkerError
from eddyline.adapters.spark.plan import SparkPlan
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.options import RunPorts
from tests.simulation.checkpoint import Checkpoint
from tests.simulation.scheduler import Faults, Process, Scheduler

_MAX_WRITE_S: Final = 40.0
_CAUSED_BY_FAULTS: Final = {"BrokerUnavailableError", "ProducerFencedError", "BrokerError", "JobFailedError"}


class SimulatedBroadcast(Broadcast):
    """A broadcast that is not pickled, for one process and one run."""

    def __init__(self, run: str, process_name: str, plan: SparkPlan) -> None:
        self.run, self.owner, self._plan = run, f"{plan.writer} in {process_name}", plan

    def unpickle(self) -> SparkPlan:
        return self._plan


class _NotedSink(KafkaEventSink):
    """Notes the batches of which a slot may have been written."""

    begun: dict[int, None]

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        self.begun[batch] = None
        return super().write(writer, slot, batch, records)


class Application:
    """What the driver and the workers of a flow share.

    `plan` has the ports of no process; `plan_for` returns one with clients of its own. `failures` has the errors that no
    fault explains.
    """

    def __init__(self, scheduler: Scheduler, faults: Faults, plan: SparkPlan, *, one_run: bool) -> None:
        self.scheduler, self.faults, self.plan, self._one_run = scheduler, faults, plan, one_run
        self.checkpoint = Checkpoint(keep_first=scheduler.random.random() < 0.5)
        self.workers: list[Process] = []
        self.drivers: list[Process] = []
        self.failures: list[str] = []
        self.attempts = 0
        self._runs = 0

    def ports(self, process_name: str) -> RunPorts:
        """Return ports with clients of their own."""
        settings = KafkaSettings(
            {
                "bootstrap.servers": "simulated",
                "client.id": process_name,
                "transaction.timeout.ms": 10_000,
                "socket.timeout.ms": 5_000,
            }
        )
        log, sink = KafkaEventLog(settings, timeout_s=20), _NotedSink(settings, timeout_s=_MAX_WRITE_S)
        sink.begun = self.checkpoint.begun
        return RunPorts(log, sink, self.plan.run.ports.codecs, self.plan.run.ports.stores)

    def plan_for(self, process_name: str) -> SparkPlan:
        """Return the plan for a process."""
        return replace(self.plan, run=replace(self.plan.run, ports=self.ports(process_name)))

    def note_failure(self, error: Exception) -> None:
        """Note an error, unless it may be due to a fault."""
        self.scheduler.note(f"failed: {error!r}")
        name = error.failure.exception if isinstance(error, WorkerError) else type(error).__name__
        if name not in _CAUSED_BY_FAULTS:
            self.failures.append("".join(traceback.format_exception(error)))

    def new_run(self) -> str:
        """Return the name of a run; with `one_run`, workers keep their caches when another driver takes over."""
        self._runs += 1
        return "run" if self._one_run else f"run-{self._runs}"
