"""The state of windows, sessions and suppression is restored after a restart, from bytes."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology, TopologyBuilder, session, tumbling
from eddyline.testing import MemoryEngine
from tests.conformance.topologies import FLOWS
from tests.fixtures.examples import examples

TOPOLOGIES = {flow.name: flow for flow in FLOWS}

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "sessions": ("session-counts", {"gap_ms": 15, "grace_ms": 20}),
    "sliding": ("sliding", {"time_difference_ms": 20, "grace_ms": 20}),
    "suppressed until windows close": ("suppress", {"size_ms": 20, "grace_ms": 10}),
    "suppressed until sessions close": ("suppress", {"window": "session", "gap_ms": 15, "grace_ms": 10}),
    "suppressed for a time": ("suppress", {"window": "none", "limit_ms": 30, "max_records": 2}),
    "hopping on close": ("emit-on-close", {"window": "hopping", "size_ms": 20, "advance_ms": 10, "grace_ms": 15}),
    "sliding on close": ("emit-on-close", {"window": "sliding", "time_difference_ms": 20, "grace_ms": 15}),
    "sessions on close": ("emit-on-close", {"window": "session", "gap_ms": 15, "grace_ms": 10}),
    "on close, at intervals": ("emit-on-close", {"size_ms": 20, "grace_ms": 15, "emit_interval_ms": 40}),
}


def topology_of(case: str) -> Topology:
    name, config = CASES[case]
    return TOPOLOGIES[name].topology(**config)


def encoded_and_decoded(task: Task, changes: list[tuple[str, StoreChange]]) -> list[tuple[str, StoreChange]]:
    codecs = JsonCodecs()
    decoded = []
    for store, (key, value) in changes:
        key_type, value_type = task.state_types(store)
        key_codec, value_codec = codecs.for_state(key_type), codecs.for_state(value_type)
        change = StoreChange(key_codec.decode(key_codec.encode(key)), value_codec.decode(value_codec.encode(value)))
        decoded.append((store, change))
    return decoded


def run(topology: Topology, events: list[tuple[str, int]], restart_every: int | None) -> list[object]:
    task, changes, results = Task(topology, 0, 0, stores=MemoryStateStores()), list[tuple[str, StoreChange]](), list[object]()
    for number, (key, timestamp) in enumerate(events, start=1):
        task.advance_wall_clock(number * 10)
        task.process("events", key, "x", timestamp, (("trace", b"\x00\xff"),))
        results.extend(output[:5] for output in task.take_output())
        if restart_every and number % restart_every == 0:
            changes.extend(encoded_and_decoded(task, task.drain_changes()))
            task = Task(topology, 0, 0, stores=MemoryStateStores(), wall_clock_ms=number * 10)
            task.restore(changes)
    return results


EVENTS = st.lists(st.tuples(st.sampled_from("aé"), st.integers(-20, 30)), max_size=40).map(
    lambda moves: [(key, max(0, 50 + sum(by_ms for _, by_ms in moves[: number + 1]))) for number, (key, _) in enumerate(moves)]
)
"""Events whose timestamps mostly increase."""


@pytest.mark.parametrize("case", CASES)
@given(events=EVENTS, restart_every=st.integers(1, 9))
@settings(max_examples=examples(40))
def test_restarts_do_not_change_the_results(case: str, events: list[tuple[str, int]], restart_every: int) -> None:
    assert run(topology_of(case), events, restart_every) == run(topology_of(case), events, None)


RETENTION_MS = 100


def counts(kind: str) -> Topology:
    """Return a topology that counts in windows of 20 ms, or in sessions with gaps of 20 ms, kept for 100 ms and more."""
    builder = TopologyBuilder()
    grouped = builder.stream("events", key=str, value=str).group_by_key()
    if kind == "window":
        windowed = grouped.windowed_by(tumbling(20, grace=RETENTION_MS - 20))
        windowed.count(store="counts").to_stream().to("out")
    else:
        grouped.windowed_by(session(20, grace=RETENTION_MS - 20)).count(store="counts").to_stream().to("out")
    return builder.build()


def restarted(task: Task, topology: Topology, changes: list[tuple[str, StoreChange]]) -> Task:
    changes.extend(encoded_and_decoded(task, task.drain_changes()))
    restored = Task(topology, 0, 0, stores=MemoryStateStores())
    restored.restore(changes)
    return restored


@pytest.mark.parametrize("kind", ["window", "session"])
def test_after_a_restore_rows_expire_at_the_same_time_and_are_deleted_from_the_state(kind: str) -> None:
    topology, changes = counts(kind), list[tuple[str, StoreChange]]()
    uninterrupted, task = (Task(topology, 0, 0, stores=MemoryStateStores()) for _ in range(2))
    for key, timestamp in (("a", 5), ("b", 60), ("c", 99), ("d", 104), ("e", 105), ("f", 139), ("g", 140), ("h", 300)):
        task = restarted(task, topology, changes)
        for each in (uninterrupted, task):
            each.process("events", key, "x", timestamp)
        rows = list(task.stores["counts"].snapshot())
        assert rows == list(uninterrupted.stores["counts"].snapshot())
        live = {change.key: change.value for name, change in [*changes, *task_changes(task, changes)] if name == "counts"}
        assert {key: value for key, value in live.items() if value is not None} == dict(rows), f"after {timestamp} ms"
    assert [change.key[0] for change in task.stores["counts"].snapshot()] == ["h"]


def task_changes(task: Task, changes: list[tuple[str, StoreChange]]) -> list[tuple[str, StoreChange]]:
    """Return the changes of a task since its restart, which are added to those before."""
    drained = encoded_and_decoded(task, task.drain_changes())
    changes.extend(drained)
    return drained


@pytest.mark.parametrize("kind", ["window", "session"])
def test_after_a_restore_a_late_record_is_late(kind: str) -> None:
    topology = counts(kind)
    task = Task(topology, 0, 0, stores=MemoryStateStores())
    task.process("events", "a", "x", 1_000)
    task = restarted(task, topology, [])
    task.process("events", "b", "x", 879)
    assert sum(task.take_drops().values()) == 1
    task.process("events", "b", "x", 920)
    assert sum(task.take_drops().values()) == 0


FINAL = [case for case in CASES if "close" in case and "at intervals" not in case]


@pytest.mark.parametrize("case", FINAL)
@given(events=EVENTS, batch=st.integers(1, 9))
@example(events=[("a", 50), ("a", 45), ("a", 25), ("a", 25)], batch=2)
@example(events=[("a", 30), ("a", 40), ("a", 55), ("a", 30)], batch=4)
@settings(max_examples=examples(40))
def test_with_emit_latest_the_final_results_are_the_same(case: str, events: list[tuple[str, int]], batch: int) -> None:
    every, latest = MemoryEngine(topology_of(case)), MemoryEngine(topology_of(case), emit="latest")
    for number, (key, timestamp) in enumerate(events, start=1):
        every.pipe("events", key, "x", timestamp)
        latest.pipe("events", key, "x", timestamp)
        if number % batch == 0:
            latest.commit()
    latest.commit()
    assert sorted(record[:4] for record in latest.outputs()) == sorted(record[:4] for record in every.outputs())
