"""A file with the state of the local engine makes another application continue where the first one stopped."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eddyline.adapters.local.restoring import StateMismatchError
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.operations.exported_state import (
    ExportedState,
    ExportedStateError,
    WaitingRecord,
    read_state,
    write_state,
)
from eddyline.application.topology import Topology, TopologyBuilder, tumbling
from eddyline.application.topology.errors import TopologyError
from tests.adapters.local.running import engine_of
from tests.adapters.local.test_moved_state import contents, empty_log_like, parted, state_of
from tests.adapters.memory.running import built, fill
from tests.adapters.spark.random_topologies import random_topology
from tests.adapters.spark.test_moved_state import filled_log, updates
from tests.runtime.plans import all_records


def through_a_file(state: ExportedState, folder: Path) -> ExportedState:
    """Return what a file has of a state."""
    write_state(state, folder / "state")
    return read_state(folder / "state")


@pytest.mark.parametrize("seed", range(12))
def test_another_application_continues_with_the_same_results(seed: int, tmp_path: Path) -> None:
    topology = random_topology(seed)
    source = filled_log(topology, seed)
    plain, log = empty_log_like(source), empty_log_like(source)
    for part in range(2):
        parted(source, plain, part, 2)
        engine_of(topology, plain).run_available_now()
    parted(source, log, 0, 2)
    engine_of(topology, log).run_available_now()
    exported = state_of(topology, log, "app").exported()

    state_of(topology, log, "other").begin_with(through_a_file(exported, tmp_path))
    again = state_of(topology, log, "other").exported()
    assert contents(again) == contents(exported)
    parted(source, log, 1, 2)
    engine_of(topology, log, application_id="other").run_available_now()

    found, wanted = (updates(all_records(each, "out")) for each in (log, plain))
    assert {key: Counter(records) for key, records in found.items()} == {key: Counter(records) for key, records in wanted.items()}
    ended = [contents(state_of(topology, *at).exported()) for at in ((log, "other"), (plain, "app"))]
    assert ended[0] == ended[1]


def test_positions_in_topics_of_a_pattern_move_with_the_state(tmp_path: Path) -> None:
    topology = built(lambda builder: builder.stream(re.compile("logs-.*"), key=str, value=str).group_by_key().count(store="c"))
    log = MemoryEventLog()
    for topic in ("logs-a", "logs-b"):
        fill(log, topic, (b"x", 1, 0), (b"y", 2, 1))
    engine_of(topology, log).run_available_now()
    state_of(topology, log, "other").begin_with(through_a_file(state_of(topology, log, "app").exported(), tmp_path))
    assert engine_of(topology, log, application_id="other").run_available_now().records == 0


def test_records_that_wait_between_two_tasks_move_with_the_state(tmp_path: Path) -> None:
    log = MemoryEventLog()
    topology = counted(log)
    state = state_of(topology, log, "app").exported()
    waiting = [WaitingRecord("again-repartition", 3, 5, b"x", None, (("h", b"1"),))]
    moved = replace(state, tasks=[replace(task, waiting=waiting) for task in state.tasks])
    state_of(topology, log, "other").begin_with(through_a_file(moved, tmp_path))
    assert [task.waiting for task in state_of(topology, log, "other").exported().tasks] == [waiting]


def by_name(store: str) -> Any:
    """Return a definition of a topology that counts values in a store."""
    return lambda builder: builder.stream("a", key=str, value=str).group_by_key().count(store=store)


def counted(log: MemoryEventLog, store: str = "counts") -> Topology:
    """Run a topology that counts two records, and return it."""
    fill(log, "a", (b"x", 1, 0), (b"y", 2, 1))
    topology = built(by_name(store))
    engine_of(topology, log).run_available_now()
    return topology


def test_an_application_that_has_state_is_refused_and_keeps_it() -> None:
    log = MemoryEventLog()
    topology = counted(log)
    left = state_of(topology, log, "app")
    before = left.exported()
    with pytest.raises(
        StateMismatchError, match=r"'app' has state on the engine local already; run 'eddyline reset' for the flow"
    ):
        left.begin_with(before)
    assert left.exported() == before


def test_state_that_was_moved_to_another_engine_is_not_exported_where_it_was() -> None:
    log = MemoryEventLog()
    left = state_of(counted(log), log, "app")
    left.mark_moved("spark")
    with pytest.raises(StateMismatchError, match="was moved to the engine spark; export it with --engine spark"):
        left.exported()


def test_a_version_that_would_misread_the_state_neither_exports_nor_imports_it() -> None:
    log = MemoryEventLog()
    state = state_of(counted(log), log, "app").exported()
    windowed = built(
        lambda builder: (
            builder.stream("a", key=str, value=str).group_by_key().windowed_by(tumbling(10, grace=0)).count(store="counts")
        )
    )
    with pytest.raises(StateMismatchError, match="store 'counts' was a key-value store and is a window store now"):
        state_of(windowed, log, "app").exported()
    with pytest.raises(ExportedStateError, match="store 'counts' was a key-value store and is a window store now"):
        state_of(windowed, log, "other").begin_with(state)
    assert "other-tasks" not in log.topics()


def test_a_store_whose_contents_were_not_moved_is_new_if_a_later_version_has_it(tmp_path: Path) -> None:
    log = MemoryEventLog()
    first = counted(log, "first")
    second = built(by_name("second"))
    moved = through_a_file(state_of(second, log, "app").exported(), tmp_path)
    assert any("store 'first' is new: it starts empty" in change.text for change in moved.changes_to(first))
    state_of(second, log, "other").begin_with(state_of(first, log, "app").exported())
    back = state_of(second, log, "other").exported()
    assert any("store 'first' is new: it starts empty" in change.text for change in back.changes_to(first))


def test_state_of_more_tasks_than_a_changelog_has_partitions_is_refused() -> None:
    log = MemoryEventLog()
    log.create_topic("a", 2)
    log.append("a", b"x", b"1", 0, partition=1)
    topology = built(by_name("counts"))
    engine_of(topology, log).run_available_now()
    log.create_topic("other-counts-changelog", 1)
    with pytest.raises(TopologyError, match="'other-counts-changelog' has 1 partitions, but its store has 2 tasks"):
        state_of(topology, log, "other").begin_with(state_of(topology, log, "app").exported())


def test_topics_of_results_are_left_to_the_run_that_writes_them() -> None:
    builder = TopologyBuilder()
    builder.stream("a", key=str, value=str).group_by_key().count(store="counts").to_stream().to("out")
    log = MemoryEventLog()
    fill(log, "a", (b"x", 1, 0))
    topology = builder.build()
    engine_of(topology, log).run_available_now()
    state = state_of(topology, log, "app").exported()
    renamed = TopologyBuilder()
    renamed.stream("a", key=str, value=str).group_by_key().count(store="counts").to_stream().to("other-out")
    state_of(renamed.build(), log, "other").begin_with(state)
    assert "other-out" not in log.topics()
