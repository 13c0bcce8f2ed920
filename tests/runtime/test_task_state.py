"""A task that is restored from its changes has the same results as one that was not restarted."""

from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.context import NO_TIME
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.task import Task
from eddyline.application.runtime.task_state import NUMBERS, TaskNumbers
from eddyline.application.samples.retail.product_counter import product_counter
from eddyline.application.topology import Topology, TopologyBuilder, hopping


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


EVENTS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 200)), max_size=40)


@given(records=EVENTS, restart_every=st.integers(1, 9))
@settings(max_examples=100)
def test_windows_and_stream_time_are_restored(records: list[tuple[str, int]], restart_every: int) -> None:
    topology = windowed_counts()
    assert run(topology, "events", records, restart_every) == run(topology, "events", records, None)


@given(records=EVENTS, restart_every=st.integers(1, 9))
@settings(max_examples=100)
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
