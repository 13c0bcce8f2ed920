"""What schedules of all engines have in common: a seed decides everything, and a run ends with an outcome."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from tests.simulation import flow
from tests.simulation.checks import ViolationError
from tests.simulation.network import Network
from tests.simulation.patches import simulated
from tests.simulation.scheduler import Faults, Process, Scheduler, StuckError


@dataclass(frozen=True)
class Outcome:
    """How a schedule ended: the violation, None if there was none."""

    seed: int
    violation: str | None
    faults: int
    steps: int
    trace: list[str]
    digest: int


class SeededSchedule(ABC):
    """A schedule of a seed; `run` returns how it ended.

    Args:
        seed: Decides everything.
        kinds: The kinds of faults.
        limit_s: The virtual seconds after which it is stuck.
        max_faults: The limit of the number of faults.
        breaks: Breaks the protocol on purpose, while the schedule runs.
        traced: Whether the outcome has a trace.
    """

    def __init__(
        self,
        seed: int,
        kinds: Sequence[str],
        limit_s: float,
        *,
        max_faults: int | None,
        breaks: Callable[[Any], AbstractContextManager[object]] | None,
        traced: bool,
    ) -> None:
        self.seed, self._limit_s, self._breaks = seed, limit_s, breaks
        self.scheduler = Scheduler(seed)
        if traced:
            self.scheduler.log = []
        self.faults = Faults(self.scheduler.random, kinds, max_faults)
        self.network = Network(self.scheduler, self.faults)
        self._complete = 0
        self._ended: float | None = None
        self._numbers = Counter[str]()
        self._processes: list[Process] = []

    def run(self) -> Outcome:
        """Run the schedule to its end, then check its results."""
        violation: str | None = None
        with self._simulated(), self._breaks(self) if self._breaks else nullcontext():
            try:
                self._set_up()
                self.scheduler.run(self._is_over, self._limit_s)
                self._check()
            except (StuckError, ViolationError) as error:
                violation = f"{type(error).__name__.removesuffix('Error')}: {error}"
            violation = violation or next(iter(self._failures()), None)
            self.faults.stopped = True
            for process in self._processes:
                process.at_exit.clear()
                process.kill()
        digest = hash((self.scheduler.steps, self.scheduler.random.random()))
        return Outcome(self.seed, violation, self.faults.count, self.scheduler.steps, self.scheduler.log or [], digest)

    def _simulated(self) -> AbstractContextManager[object]:
        """Return the context in which clients, clocks and threads are simulated."""
        return simulated(self.scheduler, self.network)

    @abstractmethod
    def _set_up(self) -> None:
        """Plan the input, start the processes, and plan the faults."""

    @abstractmethod
    def _is_over(self) -> bool:
        """Return whether nothing more is to come."""

    @abstractmethod
    def _check(self) -> None:
        """Check the results. Raises ViolationError."""

    @abstractmethod
    def _failures(self) -> Sequence[str]:
        """Return the errors that no fault explains."""

    def _produce(self, partition: int, record: tuple[Any, ...]) -> None:
        self.network.broker.produce((flow.SOURCE, partition), None, 0, [record])
        self._complete += 1

    def _process(self, kind: str, restart: Callable[[], None]) -> Process:
        """Return a new process, some time after whose death `restart` is called."""
        self._numbers[kind] += 1
        process = Process(self.scheduler, f"{kind}-{self._numbers[kind]}")
        self._processes.append(process)
        draw = self.scheduler.random

        def restart_later() -> None:
            self.scheduler.note(f"{process.name} died")
            self.scheduler.at(draw.choice((0.01, 0.5, 3.0)) * draw.random(), restart)

        process.at_exit.append(restart_later)
        return process

    def _calm_down(self) -> None:
        self.faults.stopped = True
