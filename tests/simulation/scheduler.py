"""A deterministic scheduler: processes whose threads are greenlets, virtual time, and faults, all from one seed.

One greenlet runs at a time, and switches only where it waits: in `sleep`, in `Event.wait`, and so in every request to a broker.
Which of those that are due at the same millisecond continues first is drawn, too.
"""

import heapq
import random
from collections.abc import Callable, Iterable
from typing import Any

from greenlet import GreenletExit, getcurrent, greenlet  # type: ignore[import-untyped]

START_MS = 1_700_000_000_000


class ProcessKilledError(GreenletExit):  # type: ignore[misc]
    """Raised in the threads of a process that was killed; not an Exception, so that no handler of errors catches it."""


class StuckError(Exception):
    """The schedule did not come to its end in time."""


class Faults:
    """Draws the faults of a schedule. Each seed enables some kinds of faults only, with probabilities of its own.

    `limit` is the number of faults after which there are none, which shortens a failing schedule: until then it is the same.
    """

    def __init__(self, draw: random.Random, kinds: Iterable[str], limit: int | None = None) -> None:
        self._draw, self._limit = draw, limit
        self.rates = {kind: draw.choice((0.0, 0.3, 1.0, 3.0)) for kind in kinds}
        self.stopped = False
        self.count = 0
        self.happened: list[str] = []

    def happens(self, kind: str, rate: float) -> bool:
        """Draw whether a fault of this kind happens; `rate` is its mean probability."""
        drawn = self._draw.random() < rate * self.rates.get(kind, 0.0)
        if not drawn or self.stopped or (self._limit is not None and self.count >= self._limit):
            return False
        self.count += 1
        self.happened.append(kind)
        return True


class Process:
    """A process: its threads end when it is killed, and wait while it is paused. Its wall clock may be wrong."""

    def __init__(self, scheduler: "Scheduler", name: str) -> None:
        self._scheduler, self.name = scheduler, name
        self.alive = True
        self.paused_until = 0.0
        self.clock_skew_ms = 0
        self.threads: dict[Thread, None] = {}
        self.at_exit: list[Callable[[], None]] = []

    def spawn(self, run: Callable[[], object]) -> "Thread":
        """Start a thread."""
        return Thread(self._scheduler, self, run)

    def kill(self) -> None:
        """End all threads where they wait, without running anything of them but `finally`."""
        self.alive = False
        for thread in list(self.threads):
            if thread.greenlet is not getcurrent():
                thread.resume(ProcessKilledError())
        for done in self.at_exit:
            done()
        if self._scheduler.process is self:
            raise ProcessKilledError

    def pause(self, seconds: float) -> None:
        """Suspend the process, as a long collection of garbage or a suspended machine does."""
        self.paused_until = max(self.paused_until, self._scheduler.now + seconds)


class Event:
    """Something that a thread may wait for, with a value."""

    def __init__(self, scheduler: "Scheduler") -> None:
        self._scheduler = scheduler
        self._waiting: list[Thread] = []
        self._watching: list[Callable[[], None]] = []
        self.is_set = False
        self.value: Any = None

    def set(self, value: Any = None) -> None:
        """Set the event once; later values are ignored."""
        if self.is_set:
            return
        self.is_set, self.value = True, value
        for thread in self._waiting:
            self._scheduler.wake(thread, 0.0)
        self._waiting.clear()
        for call in self._watching:
            call()

    def watch(self, call: Callable[[], None]) -> None:
        """Call a function when the event is set; it must not wait."""
        self._watching.append(call)

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait in the current thread, and return whether the event is set."""
        if not self.is_set:
            thread = self._scheduler.thread
            self._waiting.append(thread)
            if timeout_s is not None:
                self._scheduler.wake(thread, timeout_s)
            thread.park()
            if thread in self._waiting:
                self._waiting.remove(thread)
        return self.is_set


class Thread:
    """A thread of a process; `ended` is set to the exception that ended it, None if it has returned."""

    def __init__(self, scheduler: "Scheduler", process: Process, run: Callable[[], object]) -> None:
        self._scheduler, self.process, self._run = scheduler, process, run
        self.ended = Event(scheduler)
        self.greenlet = greenlet(self._main, parent=scheduler.hub)
        self.turn = 0  # a wake-up for an earlier turn is void
        process.threads[self] = None
        scheduler.wake(self, 0.0)

    def park(self) -> None:
        """Wait until `resume`."""
        if not self.process.alive:
            raise ProcessKilledError
        self._scheduler.hub.switch()
        if not self.process.alive:
            raise ProcessKilledError

    def resume(self, error: BaseException | None = None) -> None:
        """Continue the thread until it waits again."""
        if self.greenlet.dead:
            return
        self.turn += 1
        scheduler = self._scheduler
        before, parent = scheduler.running, self.greenlet.parent
        scheduler.running, self.greenlet.parent = self, getcurrent()
        try:
            if error is not None and self.greenlet:
                self.greenlet.throw(error)
            elif error is None:
                self.greenlet.switch()
            else:
                self.process.threads.pop(self, None)
                self.ended.set(error)
        finally:
            scheduler.running = before
            if not self.greenlet.dead:
                self.greenlet.parent = parent

    def _main(self) -> None:
        error: BaseException | None = None
        try:
            self._run()
        except ProcessKilledError as killed:
            error = killed
        except Exception as raised:  # noqa: BLE001 - those that wait for the thread get it
            error = raised
        self.process.threads.pop(self, None)
        self.ended.set(error)


class Scheduler:
    """Virtual time and the threads that wait for it; `random` is the only source of chance in a schedule."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = 0.0
        self.hub = getcurrent()
        self.running: Thread | None = None
        self.steps = 0
        self.log: list[str] | None = None
        self._queue: list[tuple[float, float, int, Callable[[], None]]] = []
        self._number = 0

    @property
    def thread(self) -> Thread:
        """The thread that runs."""
        assert self.running is not None, "only a thread of a process can wait"
        return self.running

    @property
    def process(self) -> Process | None:
        """The process that runs, None while the scheduler itself does."""
        return None if self.running is None else self.running.process

    def at(self, delay_s: float, call: Callable[[], None]) -> None:
        """Call a function after a delay; it must not wait."""
        self._number += 1
        heapq.heappush(self._queue, (self.now + delay_s, self.random.random(), self._number, call))

    def wake(self, thread: Thread, delay_s: float) -> None:
        """Resume a thread after a delay, unless it was resumed before."""
        turn = thread.turn

        def resume() -> None:
            if thread.turn != turn or not thread.process.alive:
                return
            left = thread.process.paused_until - self.now
            if left > 0:
                self.at(left, resume)
            else:
                thread.resume()

        self.at(delay_s, resume)

    def sleep(self, seconds: float) -> None:
        """Let the current thread wait."""
        thread = self.thread
        if not thread.process.alive:
            raise ProcessKilledError
        self.wake(thread, max(seconds, 0.0))
        thread.park()

    def pause(self) -> None:
        """Let others run, for up to some milliseconds."""
        self.sleep(self.random.random() * 0.004)

    def run(self, until: Callable[[], bool], limit_s: float) -> None:
        """Run until a condition holds. Raises StuckError if it does not within `limit_s` of virtual time."""
        self.hub = getcurrent()
        while not until():
            if not self._queue:
                raise StuckError("nothing is left to do, but the run is not complete")
            at, _, _, call = heapq.heappop(self._queue)
            if at > limit_s:
                raise StuckError(f"the run is not complete after {limit_s:.0f} s of virtual time")
            self.now = max(self.now, at)
            self.steps += 1
            call()

    def note(self, text: str) -> None:
        """Add a line to the trace, if there is one."""
        if self.log is not None:
            name = self.process.name if self.process else "-"
            self.log.append(f"{self.now:9.3f} {name:<10} {text}")


class VirtualTime:
    """What the module `time` offers, by the clock of the process that runs."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def monotonic(self) -> float:
        """Return seconds."""
        return 1_000.0 + self._scheduler.now

    def time_ns(self) -> int:
        """Return the wall-clock time of the process in ns."""
        process = self._scheduler.process
        skew = process.clock_skew_ms if process else 0
        return (START_MS + int(self._scheduler.now * 1_000) + skew) * 1_000_000

    def sleep(self, seconds: float) -> None:
        """Let the current thread wait; it cannot while the cluster is set up."""
        if self._scheduler.running is not None:
            self._scheduler.sleep(seconds)
