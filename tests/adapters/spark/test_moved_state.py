"""State that is exported and imported between two batches does not change the results."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.driver.moved_state import write_tasks
from eddyline.adapters.spark.state.portable import ImportedState
from eddyline.application.operations.exported_state import (
    ExportedState,
    ExportedStateError,
    ExportedTask,
    StoredEntry,
    WaitingRecord,
    combined_tasks,
    read_state,
    write_state,
)
from eddyline.application.ports.event_log import LogIdentity, LogRecord
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.topology import Topology, TopologyBuilder
from eddyline.application.topology.evolution import described
from tests.adapters.spark.in_process import InProcessRun
from tests.adapters.spark.random_topologies import random_input, random_topology

PARTITIONS = 3
CODECS = JsonCodecs()


def filled_log(topology: Topology, seed: int, count: int = 150) -> MemoryEventLog:
    log = MemoryEventLog()
    types = {spec.name: (spec.key_type, spec.value_type) for spec in topology.source_topics}
    for topic in types:
        log.create_topic(topic, PARTITIONS)
    for arrival, (topic, key, value, timestamp) in enumerate(random_input(seed, count)):
        if topic in types:
            encoded = CODECS.for_key(topic, types[topic][0]).encode(key), CODECS.for_value(topic, types[topic][1]).encode(value)
            partition = 0 if key is None else partition_for(key.encode(), PARTITIONS)
            log.append(topic, *encoded, timestamp, partition=partition, arrival=arrival)
    return log


def moved(run: InProcessRun, folder: Path, topology: Topology | None = None, **options: Any) -> InProcessRun:
    """Return a new run over the same log that begins with the state of another one, which went through a file."""
    file = folder / "state"
    write_state(run.exported(), file)
    state = read_state(file)
    assert state == run.exported()
    topology = topology or run.topology
    state.changes_to(topology)
    write_tasks(folder / "imported", topology, state.tasks)
    offsets = {topic: list(numbers) for topic, numbers in state.offsets.items()}
    return InProcessRun(topology, run.log, imported=ImportedState(str(folder / "imported"), offsets), **options)


@pytest.mark.parametrize("seed", range(20))
def test_results_are_those_of_a_run_whose_state_was_not_moved(seed: int, tmp_path: Path) -> None:
    topology = random_topology(seed)
    options: dict[str, Any] = {"codecs": CODECS, "changelog_stores": "all"}
    plain = InProcessRun(topology, filled_log(topology, seed), **options).run(6)
    first = InProcessRun(topology, filled_log(topology, seed), **options).run(6, batches=4)
    second = moved(first, tmp_path, **options).run(6)
    assert first.report.records > 0 < second.report.records
    assert updates(second.results("out")) == updates(plain.results("out")), "including those of the first run, in the same log"
    assert first.report.drops + second.report.drops == plain.report.drops
    assert first.report.records + second.report.records == plain.report.records
    operators = described(topology).operators
    for task in second.exported().tasks:
        for store, key, _ in task.entries:
            kind, _, name = json.loads(key).partition(":") if store == "$cells" else ("", "", "")
            kind = "" if name.startswith("punctuation:") else kind
            assert kind != "cell" or operators[name.partition(":")[0]].has_numbers, name
    for store in topology.stores:
        assert second.store(store) == plain.store(store), store


def updates(records: list[LogRecord]) -> dict[bytes | None, list[tuple[int, bytes | None]]]:
    found: dict[bytes | None, list[tuple[int, bytes | None]]] = {}
    for record in records:
        found.setdefault(record.key, []).append((record.timestamp, record.value))
    return found


def counted(*topics: str) -> Topology:
    builder = TopologyBuilder()
    streams = [builder.stream(topic, key=str, value=str) for topic in topics]
    merged = streams[0]
    for stream in streams[1:]:
        merged = merged.merge(stream)
    merged.group_by_key().count(store="counts").to_stream().to("out")
    return builder.build()


def test_a_version_with_another_input_topic_continues_with_moved_state(tmp_path: Path) -> None:
    log = MemoryEventLog()
    for topic in ("a", "b"):
        log.create_topic(topic, 1)
        log.append(topic, b"k", b"v", 1)
    first = InProcessRun(counted("a"), log).run()
    second = moved(first, tmp_path, counted("a", "b")).run()
    assert [(row.key, row.value) for row in second.store("counts")] == [("k", 2)]


def test_state_that_a_topology_would_misread_is_refused(tmp_path: Path) -> None:
    log = MemoryEventLog()
    log.create_topic("a", 1)
    log.append("a", b"k", b"v", 1)
    builder = TopologyBuilder()
    builder.stream("a", key=str, value=str).group_by_key().reduce(lambda old, _new: old, store="counts")
    with pytest.raises(ExportedStateError, match="the values of store 'counts' have changed: the type was int"):
        moved(InProcessRun(counted("a"), log).run(), tmp_path, builder.build())


STATE = ExportedState(
    "app",
    described(counted("a")),
    LogIdentity("files", "", {"a": "1"}),
    {"a": [3, 4]},
    {},
    [
        ExportedTask(
            ("a",),
            1,
            [StoredEntry("counts", b"\x00k", b"\xff")],
            [("a", 1, 2)],
            [WaitingRecord("r", 0, 5, None, b"v", (("h", None), ("i", b"x")))],
        )
    ],
)


def test_a_file_has_all_of_a_state(tmp_path: Path) -> None:
    write_state(STATE, tmp_path / "state")
    assert read_state(tmp_path / "state") == STATE
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_a_file_that_was_cut_off_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "state"
    write_state(STATE, file)
    whole = file.read_bytes()
    lines = gzip.decompress(whole).splitlines(keepends=True)
    for content in (
        whole[:-9],
        gzip.compress(b"".join(lines[:-2] + lines[-1:])),
        gzip.compress(b"".join(lines[:-1])),
        b"text",
        b"",
    ):
        file.write_bytes(content)
        with pytest.raises(ExportedStateError, match="has no exported state, or is incomplete"):
            read_state(file)


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "state"
    file.write_bytes(gzip.compress(b'{"format": 9}\n'))
    with pytest.raises(ExportedStateError, match="format 9, but this version of eddyline reads format 1"):
        read_state(file)


def test_tasks_that_become_one_keep_the_latest_stream_time() -> None:
    numbers = [[StoredEntry("$cells", b'"task:stream-time"', str(time).encode())] for time in (9, 10)]
    tasks = [ExportedTask(("a",), 0, numbers[0]), ExportedTask(("b",), 0, numbers[1]), ExportedTask(("c",), 0, [])]
    assert combined_tasks(("a", "b"), tasks) == [ExportedTask(("a", "b"), 0, numbers[1], [], [])]
