"""A task that is restored from its changes has the same results as one that was not restarted."""

from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.task import Task
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
