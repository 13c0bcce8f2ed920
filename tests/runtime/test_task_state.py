"""A task that is restored from its changes has the same results as one that was not restarted."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.context import NO_TIME
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.task.state import NUMBERS, TaskNumbers
from eddyline.application.runtime.task.task import Task
from eddyline.application.samples.retail.product_counter import product_counter
from eddyline.application.topology import (
    Topology,
    TopologyBuilder,
    hopping,
    on_window_close,
    session,
    tumbling,
    until_window_closes,
)
from eddyline.application.topology.stores import versioned_key_value_store
from tests.fixtures.examples import examples


def windowed_counts() -> Topology:
    builder = TopologyBuilder()
    (
        builder.stream("events", key=str, value=str)
        .group_by_key()
        .windowed_by(hopping(40, advance=10, grace=5))
        .count(store="counts")
        .to_stream()
        .to("out")
    )
    return builder.build()


def suppressed_counts() -> Topology:
    builder = TopologyBuilder()
    counts = builder.stream("events", key=str, value=str).group_by_key().windowed_by(tumbling(20, grace=5)).count(store="counts")
    counts.suppress(until_window_closes()).to_stream().to("out")
    return builder.build()


def final_counts() -> Topology:
    builder = TopologyBuilder()
    grouped = builder.stream("events", key=str, value=str).group_by_key()
    grouped.windowed_by(tumbling(20, grace=5), emit_strategy=on_window_close()).count(store="counts").to_stream().to("out")
    return builder.build()


def final_sessions() -> Topology:
    builder = TopologyBuilder()
    grouped = builder.stream("events", key=str, value=str).group_by_key()
    grouped.windowed_by(session(10, grace=5), emit_strategy=on_window_close()).count(store="counts").to_stream().to("out")
    return builder.build()


def joined_with_versions() -> Topology:
    builder = TopologyBuilder()
    rows = builder.table("rows", key=str, value=str, store=versioned_key_value_store("rows", history_retention=100))
    builder.stream("events", key=str, value=str).left_join(rows, pair, grace=30, value=str).to("out")
    return builder.build()


def pair(event: str, row: str | None) -> str:
    return f"{event}/{row}"


def punctuated_counts() -> Topology:
    builder = TopologyBuilder()
    product_counter(builder, interval_ms=25)
    return builder.build()


def run(topology: Topology, topic: str, records: list[tuple[str, int]], restart_every: int | None) -> list[object]:
    def new_task() -> Task:
        return Task(topology, 0, 0, stores=MemoryStateStores())

    task, changes, results = new_task(), list[tuple[str, StoreChange]](), list[object]()
    for number, (key, timestamp) in enumerate(records, start=1):
        task.process(topic, key, "x", timestamp)
        results.extend(output[:4] for output in task.take_output())
        if restart_every and number % restart_every == 0:
            changes.extend(task.drain_changes())
            task = new_task()
            task.restore(changes)
    return results


def run_alternately(topology: Topology, records: list[tuple[str, int]], turn: int) -> list[object]:
    """Run two copies of a task by turns; each is brought up to date with what the other has changed."""
    tasks = [Task(topology, 0, 0, stores=MemoryStateStores()) for _ in range(2)]
    results: list[object] = []
    for start in range(0, len(records), turn):
        task, other = tasks
        for key, timestamp in records[start : start + turn]:
            task.process("events", key, "x", timestamp)
            results.extend(output[:4] for output in task.take_output())
        other.restore(task.drain_changes())
        tasks.reverse()
    return results


EVENTS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 200)), max_size=40)


@pytest.mark.parametrize(
    "define",
    [windowed_counts, suppressed_counts, final_counts, final_sessions, joined_with_versions],
)
@given(records=EVENTS, turn=st.integers(1, 9))
@settings(max_examples=examples(60))
def test_a_task_that_is_brought_up_to_date_continues_where_its_copy_is(
    define: Callable[[], Topology], records: list[tuple[str, int]], turn: int
) -> None:
    assert run_alternately(define(), records, turn) == run(define(), "events", records, None)


@given(records=EVENTS, restart_every=st.integers(1, 9))
@settings(max_examples=examples(100))
def test_windows_and_stream_time_are_restored(records: list[tuple[str, int]], restart_every: int) -> None:
    topology = windowed_counts()
    assert run(topology, "events", records, restart_every) == run(topology, "events", records, None)


@given(records=EVENTS, restart_every=st.integers(1, 9))
@settings(max_examples=examples(100))
def test_stores_and_punctuations_of_processors_are_restored(records: list[tuple[str, int]], restart_every: int) -> None:
    topology = punctuated_counts()
    assert run(topology, "product-views", records, restart_every) == run(topology, "product-views", records, None)


def test_an_entry_is_drained_once_with_its_latest_value() -> None:
    task = Task(windowed_counts(), 0, 0, stores=MemoryStateStores())
    task.process("events", "a", "x", 5)
    task.process("events", "a", "x", 5)
    counts = [change for store, change in task.drain_changes() if store == "counts"]
    assert counts == [StoreChange(("a", 0), (2, 5))]
    assert [change for store, change in task.drain_changes() if store == "counts"] == []


def test_numbers_are_drained_by_name_when_they_have_changed() -> None:
    window = MemoryStateStores().window("counts", key_type=tuple[str, int], value_type=int, retention_ms=40)
    stores, numbers = {"counts": window}, TaskNumbers()
    assert list(numbers.drain(NO_TIME, stores)) == []
    numbers.cell("closed").value = 3
    window.observe(9)
    drained = [StoreChange("cell:closed", 3), StoreChange("task:stream-time", 7), StoreChange("newest:counts", 9)]
    assert list(numbers.drain(7, stores)) == drained
    assert list(numbers.drain(7, stores)) == []
    numbers.cell("closed").value = 4
    assert list(numbers.drain(8, stores)) == [StoreChange("cell:closed", 4), StoreChange("task:stream-time", 8)]


def test_restored_numbers_are_drained_again_only_when_they_change() -> None:
    window = MemoryStateStores().window("counts", key_type=tuple[str, int], value_type=int, retention_ms=40)
    stores, numbers = {"counts": window}, TaskNumbers()
    restored = [numbers.restore(name, 5, stores) for name in ("cell:closed", "newest:counts", "task:stream-time")]
    assert restored == [None, None, 5]
    assert (numbers.cell("closed").value, window.newest) == (5, 5)
    assert list(numbers.drain(5, stores)) == []
    assert list(numbers.drain(6, stores)) == [StoreChange("task:stream-time", 6)]


def test_the_numbers_of_a_task_are_drained_once() -> None:
    task = Task(windowed_counts(), 0, 0, stores=MemoryStateStores())
    task.process("events", "a", "x", 5)
    assert StoreChange("task:stream-time", 5) in [change for store, change in task.drain_changes() if store == NUMBERS]
    assert [change for store, change in task.drain_changes() if store == NUMBERS] == []


def test_the_latest_timestamp_of_a_store_that_is_gone_is_ignored() -> None:
    assert TaskNumbers().restore("newest:gone", 5, {}) is None
