"""Steps are short and end between two records: when the run is to stop, and when they take long. Nothing is lost or repeated."""

import random
import threading
from collections.abc import Callable
from typing import Any

import pytest

from eddyline.adapters.local.alone import SinkCommits, streams_of_log
from eddyline.adapters.local.engine import LocalEngine
from eddyline.adapters.local.log_feed import LogFeed
from eddyline.adapters.local.step import StepSize
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.ports.task_streams import CommitLostError
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.local.running import engine_of
from tests.adapters.memory.running import built, values
from tests.runtime.plans import all_records, memory_ports

PARTITIONS = 3

Call = Callable[[str], str]


def mapped(builder: TopologyBuilder, call: Call) -> None:
    builder.stream("a", key=str, value=str).map_values(call).to("out")


def summed(builder: TopologyBuilder, call: Call) -> None:
    """Call the function in front of an aggregation, to which records come by column."""
    rows = builder.stream("a", key=str, value=str).map_values(call).group_by_key()
    rows.aggregate(list, added, store="sums", value=list[str]).to_stream().map_values(joined, value=str).to("out")


def regrouped(builder: TopologyBuilder, call: Call) -> None:
    """Call the function behind a repartition topic."""
    rows = (
        builder.stream("a", key=str, value=str)
        .select_key(lambda _key, value: f"k{len(value)}", key=str)
        .group_by_key(name="again")
    )
    sums = rows.aggregate(list, lambda found, value: added(found, call(value)), store="sums", value=list[str])
    sums.to_stream().map_values(joined, value=str).to("out")


def merged(builder: TopologyBuilder, call: Call) -> None:
    """Join with a table by timestamp, before the function is called."""
    rows = builder.table("b", key=str, value=str)
    lines = builder.stream("a", key=str, value=str)
    lines.left_join(rows, lambda left, right: f"{left}/{right}", value=str).map_values(call).to("out")


def added(found: list[str], value: str) -> list[str]:
    return [*found, value]


def joined(found: list[str]) -> str:
    return ",".join(found)


DEFINITIONS = (mapped, summed, regrouped, merged)


def filled(seed: int, records: int = 60) -> MemoryEventLog:
    chance, log = random.Random(seed), MemoryEventLog()
    for topic in ("a", "b"):
        log.create_topic(topic, PARTITIONS)
    for number in range(records):
        key = chance.randrange(9)
        value, error = b"v" * (key + 1) + b"%d" % (number % 10), "torn" if chance.random() < 0.1 else None
        topic, at = chance.choice("aab"), key % PARTITIONS
        log.append(topic, b"k%d" % key, value, chance.randrange(100), partition=at, arrival=number, error=error)
    return log


def found_in(log: MemoryEventLog) -> dict[str, list[tuple[bytes | None, bytes | None]]]:
    """Return the results by key, in order, and the dead letters."""
    found: dict[str, Any] = {}
    for topic in ("out", "app-dead-letters"):
        for record in all_records(log, topic) if topic in log.topics() else ():
            found.setdefault(f"{topic}:{record.key!r}", []).append(_content(record))
    return {key: contents if key.startswith("out") else sorted(contents) for key, contents in found.items()}


def _content(record: LogRecord) -> tuple[Any, ...]:
    position = [header for header in record.headers if header[0].endswith((".offset", ".partition"))]
    return record.value, record.timestamp, *position


@pytest.mark.parametrize("define", DEFINITIONS)
@pytest.mark.parametrize("seed", range(4))
def test_steps_that_are_interrupted_anywhere_have_the_results_of_one_that_is_not(define: Callable[..., None], seed: int) -> None:
    chance = random.Random(seed)
    engines: list[LocalEngine] = []

    def interrupting(value: str) -> str:
        if chance.random() < 0.3:
            engines[-1]._interruption.requested = True  # noqa: SLF001 - as the watch of steps does
        elif chance.random() < 0.1:
            engines[-1].stop()
        return value

    plain, log = filled(seed), filled(seed)
    options: dict[str, Any] = {"new_topic_partitions": 1}
    engine_of(built(lambda builder: define(builder, str)), plain, **options).run_available_now()
    for _ in range(60):
        engines.append(engine_of(built(lambda builder: define(builder, interrupting)), log, **options))
        engines[-1].run_available_now()
    assert found_in(log) == found_in(plain)
    assert len(found_in(log)) > 5


def stopped_at(topology: Callable[[Call], Topology], record: int, run: Callable[[Topology], Any]) -> int:
    """Run until a function was called for a record, in which another thread stops the run; return how often it was called."""
    calls = 0
    runs: list[Any] = []

    def call(value: str) -> str:
        nonlocal calls
        calls += 1
        if calls == record:
            stopping = threading.Thread(target=runs[0].stop)
            stopping.start()
            stopping.join()
        return value

    runs.append(run(topology(call)))
    runs[0].run()
    return calls


def lines(count: int) -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("a", 1)
    for number in range(count):
        log.append("a", b"k", b"%d" % number, number, arrival=number)
    return log


def _chosen(builder: TopologyBuilder, call: Callable[[str], str]) -> None:
    """Map values that go to a chosen topic, one by one."""
    builder.stream("a", key=str, value=str).map_values(call, value=str).to(lambda _key, _value: "out")


@pytest.mark.parametrize(("define", "most"), [(_chosen, 1_500), (mapped, 3_000), (summed, 3_000), (regrouped, 3_000)])
def test_a_stop_is_heard_within_a_record_and_the_next_run_continues_there(define: Callable[..., None], most: int) -> None:
    """Where records are processed by column, it is heard after those that fast functions process within 20 ms."""
    log = lines(3_000)
    calls = stopped_at(lambda call: built(lambda flow: define(flow, call)), 1_500, lambda topology: engine_of(topology, log))
    assert 1_500 <= calls <= most
    assert log.end_offset("out", 0) == calls
    engine_of(built(lambda builder: define(builder, str)), log).run_available_now()
    assert log.end_offset("out", 0) == 3_000


def test_the_memory_engine_stops_within_a_record_and_writes_the_results_until_then() -> None:
    log = lines(3_000)
    options = RunOptions(application_id="app", emit="every-update", new_topic_partitions=1)

    def run(topology: Topology) -> MemoryRun:
        return MemoryRun(topology, memory_ports(log), options, MemoryClock())

    assert stopped_at(lambda call: built(lambda builder: _chosen(builder, call)), 1_500, run) == 1_500
    assert values(log, "out") == [b"%d" % number for number in range(1_500)]


@pytest.mark.parametrize("define", [mapped, summed, regrouped])
def test_a_step_that_takes_long_ends_and_is_committed(define: Callable[..., None]) -> None:
    log, committed, slept = lines(60), list[int](), threading.Event()

    def slow(value: str) -> str:
        slept.wait(0.01)
        committed.append(log.end_offset("out", 0) if "out" in log.topics() else 0)
        return value

    engine_of(built(lambda builder: define(builder, slow)), log, step_s=0.02).run_available_now()
    assert log.end_offset("out", 0) == 60
    assert len(set(committed)) > 3


def test_commits_that_are_lost_since_they_take_too_long_get_smaller() -> None:
    """As on Kafka: a process that does not poll within max.poll.interval.ms loses its tasks."""
    log, called, slept = MemoryEventLog(), list[str](), threading.Event()
    log.create_topic("a", 1)
    for number in range(20):
        log.append("a", b"%d" % number, b"v", number, arrival=number)

    class Losing(SinkCommits):
        lost = 0

        def write(self, *commit: Any) -> bool:
            calls = len(called)
            called.clear()
            if calls > 3:
                Losing.lost += 1
                assert Losing.lost < 5
                raise CommitLostError("this process did not poll in time")
            return super().write(*commit)

    def slow(key: str, count: int) -> int:
        slept.wait(0.02)
        called.append(key)
        return count

    def latest(builder: TopologyBuilder) -> None:
        counts = builder.stream("a", key=str, value=str).group_by_key().count(store="counts")
        counts.map_values(slow, with_key=True, value=int).to_stream().to("out")

    streams = streams_of_log(MemoryEventSink(log), "app", LogFeed, None)._replace(step_s=0.02)
    streams = streams._replace(commits=lambda _membership: Losing(MemoryEventSink(log), "app", None))
    engine_of(built(latest), log, streams=streams, emit="latest").run_available_now()
    assert values(log, "out") == [b"1"] * 20


def test_the_size_of_a_step_follows_its_time() -> None:
    size = StepSize(RunOptions(application_id="app"), 0.1)
    first = size.limit
    size.ended(6, 0.5)
    assert (first, size.limit) == (50_000, 1)
    for _ in range(9):
        size.ended(size.limit, 0.001 * size.limit)
    assert size.limit == 100
    for _ in range(9):
        size.ended(size.limit, 0.000_001 * size.limit)
    assert size.limit == 100_000
    size.ended(10, 0.000_1)
    assert size.limit == 100_000
    assert StepSize(RunOptions(application_id="app", max_batch_records=7), 0.1).limit == 7
    assert StepSize(RunOptions(application_id="app", order="arrival"), 0.1).limit == 1


def test_commits_are_frequent_if_they_take_long() -> None:
    size, needed = StepSize(RunOptions(application_id="app"), 0.1), list[bool]()
    for records, seconds in ((4_000, 320.0), (1, 0.01), (9, 0.01)):
        size.ended(records, 0.0)
        needed.append(size.needs_commit)
        size.committed(seconds)
    assert needed == [False, True, False]
