"""The state of windows, sessions and suppression is restored after a restart, from bytes."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.task import Task
from eddyline.application.topology import Topology
from eddyline.testing import MemoryEngine
from tests.conformance.topologies import FLOWS

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
@settings(max_examples=40)
def test_restarts_do_not_change_the_results(case: str, events: list[tuple[str, int]], restart_every: int) -> None:
    assert run(topology_of(case), events, restart_every) == run(topology_of(case), events, None)


FINAL = [case for case in CASES if "close" in case and "at intervals" not in case]


@pytest.mark.parametrize("case", FINAL)
@given(events=EVENTS, batch=st.integers(1, 9))
@settings(max_examples=40)
def test_with_emit_latest_the_final_results_are_the_same(case: str, events: list[tuple[str, int]], batch: int) -> None:
    every, latest = MemoryEngine(topology_of(case)), MemoryEngine(topology_of(case), emit="latest")
    for number, (key, timestamp) in enumerate(events, start=1):
        every.pipe("events", key, "x", timestamp)
        latest.pipe("events", key, "x", timestamp)
        if number % batch == 0:
            latest.commit()
    latest.commit()
    assert sorted(record[:4] for record in latest.outputs()) == sorted(record[:4] for record in every.outputs())
