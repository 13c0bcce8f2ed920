"""State that is moved from the local engine to Spark, and back, does not change the results."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.local.alone import streams_of_log
from eddyline.adapters.local.log_feed import LogFeed
from eddyline.adapters.local.moved_state import LocalState
from eddyline.adapters.local.restoring import StateMismatchError
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.driver.moved_state import write_tasks
from eddyline.adapters.spark.state.portable import ImportedState
from eddyline.application.operations.exported_state import ExportedState
from eddyline.application.operations.rescale import rescale
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.progress.log_identity import LogMismatchError
from eddyline.application.topology import Topology
from eddyline.application.topology.errors import TopologyError
from tests.adapters.local.running import engine_of
from tests.adapters.memory.running import built, fill
from tests.adapters.spark.in_process import InProcessRun
from tests.adapters.spark.random_topologies import random_topology
from tests.adapters.spark.test_moved_state import CODECS, filled_log, updates
from tests.runtime.plans import all_records, memory_ports


def parted(source: MemoryEventLog, log: MemoryEventLog, part: int, parts: int) -> None:
    """Append one of several parts of a log to another one."""
    records = sorted((record for topic in source.topics() for record in all_records(source, topic)), key=lambda r: r.arrival or 0)
    for record in records[part * len(records) // parts : (part + 1) * len(records) // parts]:
        topic, partition, _, timestamp, key, value, headers, arrival, _ = record
        log.append(topic, key, value, timestamp, headers, partition=partition, arrival=arrival)


def state_of(topology: Topology, log: MemoryEventLog, application_id: str = "app") -> LocalState:
    """Return what the local engine has left of an application in a log."""
    ports, options = memory_ports(log, codecs=CODECS), RunOptions(application_id=application_id, new_topic_partitions=1)
    return LocalState(topology, ports, options, streams_of_log(ports.sink, application_id, LogFeed, None))


def empty_log_like(source: MemoryEventLog) -> MemoryEventLog:
    """Return a log with the same topics and no records."""
    log = MemoryEventLog()
    for topic in source.topics():
        log.create_topic(topic, source.partitions(topic))
    return log


def on_spark(topology: Topology, log: MemoryEventLog, state: ExportedState, folder: Path) -> InProcessRun:
    """Continue with exported state on Spark, to the end of the log."""
    write_tasks(folder, topology, state.tasks)
    imported = ImportedState(str(folder), {topic: list(numbers) for topic, numbers in state.offsets.items()})
    return InProcessRun(topology, log, imported=imported, codecs=CODECS, kept=state.partitions).run(1_000)


@pytest.mark.parametrize("seed", range(12))
def test_results_are_those_of_a_run_whose_state_was_moved_twice(seed: int, tmp_path: Path) -> None:
    topology = random_topology(seed)
    source = filled_log(topology, seed)
    plain, log = empty_log_like(source), empty_log_like(source)
    left = state_of(topology, log)

    for part in range(4):
        parted(source, plain, part, 4)
        engine_of(topology, plain).run_available_now()
    parted(source, log, 0, 4)
    engine_of(topology, log).run_available_now()
    state = left.exported()
    parted(source, log, 1, 4)
    run = on_spark(topology, log, state, tmp_path / "imported")
    left.replace(run.exported())
    for part in (2, 3):
        parted(source, log, part, 4)
        engine_of(topology, log).run_available_now()

    found, wanted = (updates(all_records(each, "out")) for each in (log, plain))
    assert {key: Counter(records) for key, records in found.items()} == {key: Counter(records) for key, records in wanted.items()}
    assert contents(left.exported()) == contents(state_of(topology, plain).exported())


def contents(state: ExportedState) -> dict[str, Any]:
    """Return the entries of stores in exported state, and the offsets."""
    entries = {(entry.store, task.task, entry.key): entry.value for task in state.tasks for entry in task.entries}
    return {"offsets": state.offsets, "entries": {name: value for name, value in entries.items() if name[0] != "$cells"}}


def test_there_is_nothing_to_move_before_the_first_run() -> None:
    log = MemoryEventLog()
    fill(log, "a")
    topology = built(lambda builder: builder.stream("a", key=str, value=str).to("out"))
    with pytest.raises(StateMismatchError, match="has left no state in its changelogs"):
        state_of(topology, log).exported()


def test_state_that_was_moved_is_not_continued_on_the_local_engine_until_it_is_moved_back() -> None:
    log = MemoryEventLog()
    fill(log, "a", (b"x", 1, 0))
    topology = built(lambda builder: builder.stream("a", key=str, value=str).to("out"))
    engine_of(topology, log).run_available_now()
    left = state_of(topology, log)
    state = left.exported()
    left.mark_moved("spark")
    with pytest.raises(StateMismatchError, match="the state of application 'app' was moved to the engine spark"):
        engine_of(topology, log).run_available_now()
    left.replace(state)
    assert engine_of(topology, log).run_available_now().records == 0


def test_state_keeps_its_tasks_if_they_are_more_than_the_partitions_of_the_input() -> None:
    topology = built(
        lambda builder: (
            builder.stream("a", key=str, value=str)
            .group_by(lambda _key, value: value, key=str, name="by-value")
            .count(store="counts")
            .to_stream()
            .map_values(str, value=str)
            .to("out")
        )
    )
    plain, log = MemoryEventLog(), MemoryEventLog()
    for each in (plain, log):
        fill(each, "a", *((f"value-{number % 9}".encode(), number, number) for number in range(30)))
    engine_of(topology, plain).run_available_now()
    state = rescale(state_of(topology, plain).exported(), topology, CODECS, 4).state
    with pytest.raises(TopologyError, match=r"has 1 partitions, but its store has 4 tasks now; .* or rescale it to 1 tasks"):
        state_of(topology, plain).replace(state)
    with pytest.raises(LogMismatchError, match="the positions of application 'app' belong to 'memory', cluster"):
        state_of(topology, log).replace(state)
    state_of(topology, log).replace(replace(state, log=log.identity(["a"])))
    for each in (plain, log):
        for number in range(9):
            each.append("a", b"k", f"value-{number}".encode(), 100, arrival=100 + number)
        engine_of(topology, each).run_available_now()
    found, wanted = (contents(state_of(topology, each).exported())["entries"] for each in (log, plain))
    assert len({task for _, task, _ in found}) > 1
    assert {key: value for (_, _, key), value in found.items()} == {key: value for (_, _, key), value in wanted.items()}
