"""The way of a request to the simulated brokers, with everything that may happen to it.

A request or its answer is lost: the client repeats it on a new connection. What was believed to be lost may arrive later, also
after its client has moved on or died. An answer may take long, or never come until the timeout.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from confluent_kafka import KafkaError, KafkaException

from tests.simulation.broker import Broker
from tests.simulation.scheduler import Event, Faults, Scheduler

T = TypeVar("T")
_RETRIABLE = {"CONCURRENT_TRANSACTIONS", "UNSTABLE_OFFSET_COMMIT", "NOT_COORDINATOR"}
_BACKOFF_S = 0.02
_EXPIRY_S = 0.5
KINDS = ("lost request", "lost answer", "late request", "slow answer", "no answer", "moved coordinator", "slow marker")
"""The faults of the network and the brokers."""


class Network:
    """A cluster, and the connections to it."""

    def __init__(self, scheduler: Scheduler, faults: Faults) -> None:
        self.scheduler, self.faults = scheduler, faults
        self.broker = Broker(lambda: scheduler.now, self._write_markers)

    def call(self, name: str, request: Callable[[], T], timeout_s: float, *, names: str = "", may_be_late: bool = True) -> T:
        """Send a request until it is answered.

        Args:
            name: What to call it in the trace.
            request: Changes the brokers and returns the answer.
            timeout_s: How many seconds to wait.
            names: The transactional id or the group whose coordinator is asked, which may move.
            may_be_late: Whether the request may still arrive after it was repeated.

        Raises:
            KafkaException: The answer is an error, or there is none in time.
        """
        scheduler, faults = self.scheduler, self.faults
        if scheduler.running is None:
            return request()
        deadline = scheduler.now + timeout_s
        if names and faults.happens("moved coordinator", 0.01):
            self.broker.moved_until[names] = scheduler.now + scheduler.random.uniform(0.05, 3.0)
        last: KafkaException | None = None
        self._perhaps_die()
        while True:
            fate = next((kind for kind in KINDS[:5] if faults.happens(kind, 0.01)), "")
            if fate == "late request" and not may_be_late:
                fate = "lost request"
            answer = Event(scheduler)
            self._deliver(name, request, fate, answer)
            limit_s = min(deadline - scheduler.now, 1.0) if fate in ("lost request", "late request", "lost answer") else None
            answer.wait(deadline - scheduler.now if limit_s is None else max(limit_s, 0.0))
            self._perhaps_die()
            if answer.is_set:
                value, error = answer.value
                if error is None:
                    return value  # type: ignore[no-any-return]
                if error.args[0].name() not in _RETRIABLE:
                    raise error
                last = error
            if scheduler.now >= deadline:
                if last is not None and last.args[0].name() == "UNSTABLE_OFFSET_COMMIT":
                    raise last
                raise KafkaException(KafkaError(KafkaError._TIMED_OUT, f"{name}: no answer within {timeout_s:.0f} s"))  # noqa: SLF001
            scheduler.sleep(min(_BACKOFF_S, max(deadline - scheduler.now, 0.001)))

    def _perhaps_die(self) -> None:
        process = self.scheduler.process
        if process is not None and self.faults.happens("death at a request", 0.003):
            process.kill()

    def expire_transactions(self) -> None:
        """Abort transactions that are open for too long, again and again."""
        self.broker.abort_expired()
        self.scheduler.at(_EXPIRY_S, self.expire_transactions)

    def _deliver(self, name: str, request: Callable[[], Any], fate: str, answer: Event) -> None:
        scheduler = self.scheduler
        delay, back = scheduler.random.uniform(0.0005, 0.003), scheduler.random.uniform(0.0005, 0.003)
        if fate == "late request":
            delay = scheduler.random.choice((0.05, 1.5, 8.0, 30.0)) * scheduler.random.random()
        elif fate == "slow answer":
            back = scheduler.random.uniform(0.05, 5.0)
        if scheduler.log is not None:
            scheduler.note(f"{name}{f' ({fate})' if fate else ''}")
        if fate == "lost request":
            return
        received = Event(scheduler) if fate in ("late request", "lost answer", "no answer") else answer

        def arrive() -> None:
            try:
                value, error = request(), None
            except KafkaException as raised:
                value, error = None, raised
            if error is not None and scheduler.log is not None:
                scheduler.note(f"  {name}: {error.args[0].name()}")
            scheduler.at(back, lambda: received.set((value, error)))

        scheduler.at(delay, arrive)

    def _write_markers(self, transactional_id: str) -> None:
        """Write the markers of a transaction one after the other, each after a while."""
        scheduler = self.scheduler

        def write() -> None:
            found = self.broker.transactions[transactional_id]
            self.broker.write_marker(transactional_id)
            if found.markers:
                scheduler.at(delay(), write)

        def delay() -> float:
            if self.faults.happens("slow marker", 0.02):
                return scheduler.random.uniform(0.1, 4.0)
            return scheduler.random.uniform(0.0005, 0.004)

        if scheduler.running is None and not scheduler.steps:
            while self.broker.transactions[transactional_id].state.startswith("Prepare"):
                self.broker.write_marker(transactional_id)
        else:
            scheduler.at(delay(), write)
