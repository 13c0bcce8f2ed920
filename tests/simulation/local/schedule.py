"""One schedule: processes of the local engine that run a flow, everything that goes wrong, and whether the results are right."""

import json
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cache, partial
from typing import Any, Final
from unittest.mock import patch

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.clients import factory
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.local import engine, session
from eddyline.adapters.local.engine import LocalEngine
from eddyline.adapters.local.step import StepWatch
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.settings import Settings
from eddyline.adapters.system.clock import SystemClock
from eddyline.adapters.wiring.kafka_streams import kafka_streams
from eddyline.application.runtime.plan.changelogs import ChangelogEntry, changelog_topic, decode
from eddyline.application.runtime.plan.dead_letters import reason_in
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.topology import Topology, TopologyBuilder
from tests.simulation import flow, network
from tests.simulation.broker import Broker
from tests.simulation.checks import compare
from tests.simulation.local.clients import StreamsConsumer, StreamsProducer
from tests.simulation.local.group import Group
from tests.simulation.patches import simulated
from tests.simulation.scheduler import Process, Scheduler
from tests.simulation.seeded_schedule import SeededSchedule

KINDS: Final = (*network.KINDS, "hanging client", "death at a request", "process dies", "process pauses", "process added")
_PROCESSES: Final = 2
_CALM_S: Final = 12.0
_LIMIT_S: Final = 400.0
_DRAIN_S: Final = 12.0
_LOOK_S: Final = 0.25
Breaks = Callable[["LocalSchedule"], AbstractContextManager[object]]


@cache
def topology(*, shared: bool) -> Topology:
    """Return a flow with a changelog: without a repartition its tasks are shared, with one a process runs them all."""
    if not shared:
        return flow.topology()
    builder = TopologyBuilder()
    orders = builder.stream(flow.SOURCE, key=str, value=flow.Order).group_by_key()
    orders.aggregate(flow.Totals, flow.Totals.add, store=flow.STORE).to_stream().to(flow.RESULTS)
    return builder.build()


class LocalSchedule(SeededSchedule):
    """A schedule of the local engine; the arguments are those of all schedules."""

    def __init__(self, seed: int, *, max_faults: int | None = None, breaks: Breaks | None = None, traced: bool = False) -> None:
        super().__init__(seed, KINDS, _LIMIT_S, max_faults=max_faults, breaks=breaks, traced=traced)
        draw = self.scheduler.random
        self.groups: dict[str, Group] = {}
        self._topology = topology(shared=draw.random() < 0.5)
        self._shared = not self._topology.repartition_topics
        self._input = [self._keyed(partition, record) for partition, record in flow.input_records(draw, draw.randrange(20, 80))]
        self._running: list[Process] = []
        self._errors: list[str] = []

    @contextmanager
    def _simulated(self) -> Iterator[None]:
        with simulated(self.scheduler, self.network), ExitStack() as stack:
            for target, name, value in (
                (factory, "Consumer", partial(StreamsConsumer, self.network, groups=self.groups)),
                (factory, "Producer", partial(StreamsProducer, self.network, groups=self.groups)),
                (engine, "Event", partial(_Stopping, self.scheduler)),
                (engine, "rare_garbage_collection", nullcontext),
                (session, "keep_what_exists", lambda: None),
                (session, "StepWatch", _NoWatch),
            ):
                stack.enter_context(patch.object(target, name, value))
            yield

    # --- setting up ---------------------------------------------------------------------------------------------------

    def _keyed(self, partition: int, record: tuple[Any, ...]) -> tuple[int, tuple[Any, ...]]:
        """Return a record with its customer as key, if no repartition does that."""
        if self._shared and not record[1].startswith(b"order"):
            record = (json.loads(record[1])["customer"].encode(), *record[1:])
        return partition, record

    def _set_up(self) -> None:
        scheduler, draw = self.scheduler, self.scheduler.random
        self.network.broker.create_topic(flow.SOURCE, flow.PARTITIONS)
        for given in self._input:
            scheduler.at(draw.uniform(0.0, _CALM_S), partial(self._produce, *given))
        for _ in range(_PROCESSES):
            scheduler.at(draw.uniform(0.0, 4.0), self._start_process)
        self.network.expire_transactions()
        scheduler.at(draw.uniform(0.0, 2.0), self._trouble)
        scheduler.at(_CALM_S, self._calm_down)
        scheduler.at(_CALM_S + _LOOK_S, self._look)

    def _start_process(self) -> None:
        process = self._process("process", self._start_process)
        self._running = [*(found for found in self._running if found.alive), process]
        process.spawn(partial(self._drive, process.name))

    def _drive(self, name: str) -> None:
        """Run the engine, which must not end."""
        values: dict[str, Any] = {"bootstrap.servers": "simulated", "transaction.timeout.ms": 10_000, "socket.timeout.ms": 5_000}
        settings = KafkaSettings({**values, "client.id": name})
        ports = RunPorts(KafkaEventLog(settings, timeout_s=20), KafkaEventSink(settings), JsonCodecs(), MemoryStateStores())
        options = RunOptions(
            application_id=flow.APPLICATION, emit="every-update", new_topic_partitions=flow.PARTITIONS, commit_interval_ms=100
        )
        streams = kafka_streams(settings, Settings(), flow.APPLICATION)
        try:
            LocalEngine(self._topology, ports, options, streams, SystemClock()).run()
        except Exception as error:  # whatever goes wrong, the engine tries again
            self._errors.append("".join(traceback.format_exception(error)))
            raise

    # --- faults -------------------------------------------------------------------------------------------------------

    def _trouble(self) -> None:
        """Let something happen to a process, again and again until the cluster calms down."""
        if self.faults.stopped:
            return
        scheduler, draw, happens = self.scheduler, self.scheduler.random, self.faults.happens
        process = draw.choice(self._running) if self._running else None
        pause_s = draw.choice((0.1, 3.0, 15.0)) * draw.random()
        if happens("process dies", 0.1) and process is not None and process.alive:
            process.kill()
        elif happens("process pauses", 0.1) and process is not None:
            scheduler.note(f"{process.name} pauses for {pause_s:.3f} s")
            process.pause(pause_s)
        if happens("process added", 0.05) and len(self._running) <= _PROCESSES:
            self._start_process()
        scheduler.at(draw.choice((0.02, 0.5, 2.0)) * draw.random(), self._trouble)

    # --- the end ------------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Look whether all results are there; then some time is left for what must not come."""
        if self._ended is None and self._complete == len(self._input) and self._has_results():
            self._ended = self.scheduler.now
        self.scheduler.at(_LOOK_S, self._look)

    def _has_results(self) -> bool:
        expected, found = self._expected(), self._results()
        complete = all(len(found.get(customer, ())) >= len(updates) for customer, updates in expected.updates.items())
        return complete and self._letters().total() >= len(expected.letters)

    def _is_over(self) -> bool:
        return bool(self._errors) or (self._ended is not None and self.scheduler.now > self._ended + _DRAIN_S)

    def _expected(self) -> flow.Expected:
        ends = [len(log.records) for log in self.network.broker.topics[flow.SOURCE]]
        return flow.expected(self.network.broker, {0: ends}, latest=False)

    def _results(self) -> dict[str, list[flow.Update]]:
        found: dict[str, list[flow.Update]] = {}
        for fields in visible(self.network.broker, flow.RESULTS):
            found.setdefault(fields[0].decode(), []).append(flow.update_of(fields[1]))
        return found

    def _letters(self) -> Counter[tuple[int | None, int | None]]:
        reasons = (reason_in(tuple(fields[3])) for fields in visible(self.network.broker, flow.LETTERS))
        return Counter((reason.partition, reason.offset) for reason in reasons)

    def _failures(self) -> Sequence[str]:
        return self._errors

    def _check(self) -> None:
        if self._errors:
            return
        broker, expected = self.network.broker, self._expected()
        compare("results", self._results(), expected.updates)
        compare("dead letters", self._letters(), Counter(expected.letters))
        state: dict[str, flow.Update] = {}
        for fields in visible(broker, changelog_topic(flow.APPLICATION, flow.STORE)):
            entry = decode(*fields[:3])
            if isinstance(entry, ChangelogEntry) and entry.value is not None:
                state[json.loads(entry.key)] = flow.update_of(json.dumps(json.loads(entry.value)[0]).encode())
        compare("state", state, {customer: updates[-1] for customer, updates in expected.updates.items()})
        offsets = {at[1]: offset for at, (offset, _) in broker.offsets.get(flow.APPLICATION, {}).items()}
        ends = {number: len(log.records) for number, log in enumerate(broker.topics[flow.SOURCE]) if log.records}
        compare("offsets of the group", {number: offset for number, offset in offsets.items() if offset}, ends)


def visible(broker: Broker, topic: str) -> Iterator[tuple[Any, ...]]:
    """Yield the committed records of a topic, partition by partition."""
    for number in range(len(broker.topics.get(topic, ()))):
        end = broker.end(topic, number, committed=True)
        yield from (fields for _, fields in broker.fetch(topic, number, 0, end + 1, committed=True)[0])


class _NoWatch(StepWatch):
    """A watch without a thread: in virtual time, a step takes none."""

    def __init__(self, *_arguments: object) -> None:
        pass

    def begin(self) -> None:
        pass

    end = close = begin


class _Stopping:
    """The event of an engine that is never stopped, whose waits take virtual time."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler

    def is_set(self) -> bool:
        return False

    def wait(self, timeout: float) -> bool:
        self._scheduler.sleep(timeout)
        return False
