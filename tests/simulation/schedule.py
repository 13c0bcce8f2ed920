"""One schedule: a cluster that runs the flow, everything that goes wrong in it, and whether its results are right."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import Final

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.errors import BrokerError
from eddyline.adapters.memory.read_model import MemoryReadModel
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.failures import WorkerError
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.application.operations.dead_letter_log import DeadLetterLog
from eddyline.application.operations.redrive import RedriveError, Redriver
from eddyline.application.ports.clock import Clock
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.queries.follower import ChangelogFollower
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.topology import Topology
from tests.simulation import flow, network, spark
from tests.simulation.application import Application
from tests.simulation.checkpoint import JobFailedError
from tests.simulation.checks import Checks
from tests.simulation.scheduler import START_MS
from tests.simulation.seeded_schedule import SeededSchedule

KINDS: Final = (
    *network.KINDS,
    *spark.KINDS,
    "hanging client",
    "death at a request",
    "worker dies",
    "worker pauses",
    "driver dies",
    "driver pauses",
    "clock jumps",
    "reader dies",
)
_WORKERS: Final = 3
_CALM_S: Final = 12.0
_LIMIT_S: Final = 3_000.0
_DRAIN_S: Final = 45.0
Breaks = Callable[["Schedule"], AbstractContextManager[object]]


@cache
def _topology() -> Topology:
    return flow.topology()


class Schedule(SeededSchedule):
    """A schedule of the engine for Spark; `stores` are the state stores of its workers, the rest is as for all schedules."""

    def __init__(
        self,
        seed: int,
        *,
        max_faults: int | None = None,
        breaks: Breaks | None = None,
        traced: bool = False,
        stores: StateStores | None = None,
    ) -> None:
        super().__init__(seed, KINDS, _LIMIT_S, max_faults=max_faults, breaks=breaks, traced=traced)
        draw, self._stores = self.scheduler.random, stores or MemoryStateStores()
        self.latest = draw.random() < 0.4
        self.application: Application
        self.model = MemoryReadModel()
        self._input = list(flow.input_records(draw, draw.randrange(8, 40)))
        self._redrives = draw.choice((0, 0, 0, 2))
        self._redriving = 0

    # --- setting up ---------------------------------------------------------------------------------------------------

    def _set_up(self) -> None:
        scheduler, draw, broker = self.scheduler, self.scheduler.random, self.network.broker
        broker.create_topic(flow.SOURCE, flow.PARTITIONS)
        ports = RunPorts(_Partitions(), None, JsonCodecs(), self._stores)  # type: ignore[arg-type]
        options = RunOptions(
            application_id=flow.APPLICATION,
            emit="latest" if self.latest else "every-update",
            max_batch_records=draw.choice((4, 8, 20)),
            new_topic_partitions=1,
            changelog_stores="all",
        )
        run = RunPlan.of(_topology(), ports, options)
        plan = SparkPlan(run, stage_line(_topology()), "app-1", spark.GROUPS)
        self.application = Application(scheduler, self.faults, plan, one_run=draw.random() < 0.5)
        self.checks = Checks(broker, self.application, self.model, latest=self.latest)
        arrivals = [0.0, *(draw.uniform(0.0, 5.0) for _ in range(draw.randrange(4)))]
        for given in self._input:
            scheduler.at(draw.choice(arrivals), partial(self._produce, *given))
        for _ in range(_WORKERS):
            self._start_worker()
        self._start_driver()
        self._start_reader()
        for _ in range(self._redrives):
            self._redriving += 1
            scheduler.at(draw.uniform(0.5, 8.0), self._start_redriver)
        self.network.expire_transactions()
        scheduler.at(draw.uniform(0.0, 2.0), self._trouble)
        scheduler.at(_CALM_S, self._calm_down)

    def _is_complete(self) -> bool:
        """Return whether all records are in the topic, and those that were redriven can be read."""
        open_logs = [log for log in self.network.broker.topics[flow.SOURCE] if log.stable_end < len(log.records)]
        return self._complete == len(self._input) and not self._redriving and not open_logs

    def _is_over(self) -> bool:
        return self._ended is not None and self.scheduler.now > self._ended + _DRAIN_S

    def _check(self) -> None:
        self.checks.at_end()

    def _failures(self) -> Sequence[str]:
        return self.application.failures

    # --- processes ----------------------------------------------------------------------------------------------------

    def _start_worker(self) -> None:
        workers = self.application.workers
        workers[:] = [process for process in workers if process.alive]
        workers.append(self._process("worker", self._start_worker))

    def _start_driver(self) -> None:
        if self._ended is not None:
            return
        drivers = self.application.drivers
        drivers[:] = [process for process in drivers if process.alive]
        process = self._process("driver", self._start_driver)
        drivers.append(process)

        def drive() -> None:
            try:
                spark.Driver(self.application, process).run(self._is_complete)
            except (BrokerError, WorkerError, JobFailedError) as error:
                self.application.note_failure(error)
                process.kill()
            except Exception as error:
                self.application.note_failure(error)
                raise
            if process is drivers[-1]:
                self._ended = self.scheduler.now

        process.spawn(drive)

    def _start_reader(self) -> None:
        process = self._process("reader", self._start_reader)
        ports = self.application.ports(process.name)
        follower = ChangelogFollower(_topology(), flow.APPLICATION, ports.log, ports.codecs, self.model)

        def follow() -> None:
            while True:
                try:
                    follower.catch_up()
                except BrokerError as error:
                    self.scheduler.note(f"failed: {error}")
                self.checks.of_readers()
                if self._ended is not None:
                    return
                self.scheduler.sleep(self.scheduler.random.choice((0.2, 1.0, 4.0)) * self.scheduler.random.random())

        process.spawn(follow)
        self._reader = process

    def _start_redriver(self) -> None:
        process = self._process("redriver", self._start_redriver)
        ports = self.application.ports(process.name)

        def redrive() -> None:
            scheduler = self.scheduler
            while True:
                try:
                    letters = list(DeadLetterLog(ports.log, flow.APPLICATION))
                    for _ in Redriver(ports.log, ports.sink, _Clock(), flow.APPLICATION).redrive(letters):
                        pass
                except (BrokerError, RedriveError) as error:
                    scheduler.note(f"failed: {error}")
                    scheduler.sleep(1.0)
                else:
                    self._redriving -= 1
                    return

        process.spawn(redrive)

    # --- faults -------------------------------------------------------------------------------------------------------

    def _trouble(self) -> None:
        """Let something happen to a process, again and again until the cluster calms down."""
        if self.faults.stopped:
            return
        scheduler, draw, happens = self.scheduler, self.scheduler.random, self.faults.happens
        worker = draw.choice(self.application.workers)
        driver = self.application.drivers[-1]
        pause_s = draw.choice((0.1, 2.0, 30.0)) * draw.random()
        if happens("worker dies", 0.1) and worker.alive:
            worker.kill()
        elif happens("worker pauses", 0.1):
            scheduler.note(f"{worker.name} pauses for {pause_s:.3f} s")
            worker.pause(pause_s)
        if happens("driver dies", 0.1) and driver.alive:
            driver.kill()
        elif happens("driver pauses", 0.05) and driver.alive:
            scheduler.note(f"{driver.name} pauses for {pause_s:.3f} s, and another one starts")
            driver.pause(pause_s)
            driver.at_exit.clear()
            self._start_driver()
        if happens("clock jumps", 0.1):
            draw.choice((worker, driver)).clock_skew_ms = draw.randrange(-3_600_000, 3_600_000)
        if happens("reader dies", 0.1) and self._reader.alive:
            self._reader.kill()
        scheduler.at(draw.choice((0.02, 0.5, 2.0)) * draw.random(), self._trouble)


class _Clock(Clock):
    def now_ms(self) -> int:
        return START_MS


class _Partitions:
    """The numbers of partitions, for a plan that is made before there are clients."""

    def topics(self) -> list[str]:
        return [flow.SOURCE]

    def partitions(self, topic: str) -> int:
        del topic
        return flow.PARTITIONS
