"""A run in memory writes the changelogs of its stores with the results of each batch."""

import pytest

from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.run import MemoryRun
from eddyline.application.runtime.plan.changelogs import ChangelogEntry, ChangelogProgress
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.topology import Topology, TopologyBuilder, tumbling
from eddyline.application.topology.errors import TopologyError
from eddyline.testing import MemoryEngine
from tests.adapters.memory.running import run_of
from tests.runtime.changelogs import contents, entries, progress, rebuilt
from tests.runtime.plans import memory_ports


def counted(*queryable: str) -> Topology:
    builder = TopologyBuilder()
    builder.queryable(*queryable)
    lines = builder.stream("lines", key=str, value=str)
    lines.group_by_key().windowed_by(tumbling(10, grace=0)).count(store="windows").to_stream().to("windowed")
    lines.select_key(lambda _key, value: value, key=str).group_by_key().count(store="words").to_stream().to("counts")
    builder.table("rows", key=str, value=str, store="rows")
    return builder.build()


@pytest.fixture
def log() -> MemoryEventLog:
    log = MemoryEventLog()
    for topic in ("lines", "rows"):
        log.create_topic(topic, 2)
    return log


def append(log: MemoryEventLog, topic: str, key: bytes, value: bytes | None, timestamp: int) -> None:
    log.append(topic, key, value, timestamp, partition=key[-1] % 2)


def fill(log: MemoryEventLog, count: int, start: int = 0) -> None:
    for number in range(start, start + count):
        append(log, "lines", b"k%d" % (number % 5), b"w%d" % (number % 3), number)
        append(log, "rows", b"r%d" % (number % 4), None if number % 7 == 3 else b"%d" % number, number)


def in_memory(log: MemoryEventLog) -> MemoryEngine:
    """Return the test driver after the same records."""
    engine = MemoryEngine(counted(), partitions=2)
    for topic in ("lines", "rows"):
        for partition in range(2):
            for batch in log.read(topic, partition, 0, log.end_offset(topic, partition)):
                for record in batch:
                    value = None if record.value is None else record.value.decode()
                    engine.pipe(topic, (record.key or b"").decode(), value, record.timestamp, partition=partition)
    return engine


def test_a_queryable_store_has_a_changelog_without_the_setting(log: MemoryEventLog) -> None:
    fill(log, 60)
    run_of(counted("words"), log).run_available_now()
    assert rebuilt(log, counted(), "words") == in_memory(log).store("words")
    assert [topic for topic in log.topics() if topic.endswith("-changelog")] == ["app-words-changelog"]


@pytest.mark.parametrize("batch", [7, 1_000])
def test_a_store_rebuilt_from_its_changelog_equals_the_store(log: MemoryEventLog, batch: int) -> None:
    fill(log, 60)
    run_of(counted(), log, changelog_stores="all", max_batch_records=batch).run_available_now()
    engine = in_memory(log)
    assert engine.store("rows")
    for store in ("words", "rows"):
        assert [row[:3] for row in rebuilt(log, counted(), store)] == [row[:3] for row in engine.store(store)]
    assert rebuilt(log, counted(), "windows")


def test_after_a_restart_the_changelog_still_equals_the_store(log: MemoryEventLog) -> None:
    fill(log, 30)
    run_of(counted(), log, changelog_stores=("rows",)).run_available_now()
    fill(log, 30, start=30)
    run_of(counted(), log, changelog_stores=("rows",)).run_available_now()
    assert rebuilt(log, counted(), "rows") == in_memory(log).store("rows")


def test_the_changes_of_a_batch_are_followed_by_the_progress_of_their_task(log: MemoryEventLog) -> None:
    append(log, "rows", b"r0", b"a", 5)
    append(log, "rows", b"r0", b"b", 7)
    clock = MemoryClock(1_000)
    options = RunOptions(application_id="app", changelog_stores=("rows",))
    run = MemoryRun(counted(), memory_ports(log), options, clock)
    run.run_available_now()
    ends = {"lines": [0, 0], "rows": [2, 0]}
    assert contents(log, "rows", 0) == [
        ChangelogEntry(b'"r0"', b'["b",7]', 7),
        ChangelogProgress(0, 1_000, 7, ends),
    ]
    assert contents(log, "rows", 1) == [ChangelogProgress(0, 1_000, None, ends)]
    clock.advance(50)
    append(log, "lines", b"k1", b"x", 9)
    append(log, "rows", b"r0", None, 8)
    run.run_available_now()
    ends = {"lines": [0, 1], "rows": [3, 0]}
    assert contents(log, "rows", 0)[2:] == [ChangelogEntry(b'"r0"', None, 8), ChangelogProgress(1, 1_050, 8, ends)]
    assert contents(log, "rows", 1)[1:] == [ChangelogProgress(1, 1_050, None, ends)]
    assert run.report.written == {"windowed": 1, "counts": 1}


def test_a_batch_without_input_writes_no_progress(log: MemoryEventLog) -> None:
    fill(log, 5)
    run = run_of(counted(), log, changelog_stores="all")
    run.run_available_now()
    written = log.end_offset("app-rows-changelog", 0)
    run.run_available_now()
    assert (log.end_offset("app-rows-changelog", 0), run.report.batches) == (written, 1)


def test_offsets_of_a_batch_that_tasks_have_not_read_completely_are_those_of_an_earlier_one(log: MemoryEventLog) -> None:
    fill(log, 40)
    run = run_of(counted(), log, changelog_stores="all", max_batch_records=8)
    run.run_available_now()
    for store in ("rows", "words"):
        for part in progress(log, store):
            assert [found.batch for found in part] == list(range(run.report.batches))
            assert part[0].offsets == {"lines": [0, 0], "rows": [0, 0]}
            assert {tuple(found.offsets["rows"]) for found in part[:-1]} == {(0, 0)}
            assert sum(part[-1].offsets["rows"]) == 40


def test_only_the_chosen_stores_have_changelogs(log: MemoryEventLog) -> None:
    fill(log, 5)
    run_of(counted(), log, changelog_stores=("words",)).run_available_now()
    assert [topic for topic in log.topics() if topic.endswith("-changelog")] == ["app-words-changelog"]
    assert any(entries(log, "words"))


def test_by_default_there_are_no_changelogs(log: MemoryEventLog) -> None:
    fill(log, 5)
    run_of(counted(), log).run_available_now()
    assert not [topic for topic in log.topics() if topic.endswith("-changelog")]


@pytest.mark.parametrize("restarted", [True, False])
def test_a_changelog_with_too_few_partitions_is_an_error_with_the_fix(log: MemoryEventLog, *, restarted: bool) -> None:
    fill(log, 5)
    run = run_of(counted(), log, changelog_stores="all")
    run.run_available_now()
    log.add_partitions("rows", 3)
    with pytest.raises(TopologyError, match=r"'app-rows-changelog' has 2 partitions, .* 3 tasks now; .* reset the flow"):
        (run_of(counted(), log, changelog_stores="all") if restarted else run).run_available_now()
