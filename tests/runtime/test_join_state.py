"""Restarts do not change the results of joins and grouped tables; their state can be encoded by the codecs of stores."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.output import Output
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology, TopologyBuilder, join_windows, unlimited_join_windows
from tests.fixtures.examples import examples

WINDOWS = join_windows(before=20, after=10, grace=5, emit_interval=30)
Value = dict[str, str]


def fk(left: Value) -> str | None:
    return left.get("fk")


def pair(left: Value | None, right: Value | None) -> dict[str, Value | None]:
    return {"left": left, "right": right}


def grouped(_key: str, value: Value) -> tuple[str | None, str]:
    return value.get("fk"), value["n"]


def streams(builder: TopologyBuilder) -> Any:
    left, right = (builder.stream(topic, key=str, value=Value) for topic in ("left", "right"))
    return left.outer_join(right, pair, windows=WINDOWS)


def streams_with_condition(builder: TopologyBuilder) -> Any:
    left, right = (builder.stream(topic, key=str, value=Value) for topic in ("left", "right"))
    return left.outer_join(right, pair, windows=WINDOWS, condition=lambda one, other: one["n"] <= other["n"])


def streams_without_bounds(builder: TopologyBuilder) -> Any:
    left, right = (builder.stream(topic, key=str, value=Value) for topic in ("left", "right"))
    return left.join(right, pair, windows=unlimited_join_windows())


def streams_until(builder: TopologyBuilder) -> Any:
    left, right = (builder.stream(topic, key=str, value=Value) for topic in ("left", "right"))
    windows = join_windows(before=5, until=lambda one: 40 * int(one["n"]), grace=20)
    return left.join(right, pair, windows=windows)


def tables(builder: TopologyBuilder) -> Any:
    left, right = (builder.table(topic, key=str, value=Value) for topic in ("left", "right"))
    return left.outer_join(right, pair, store="pairs").filter(lambda _key, both: both["left"] is not None).to_stream()


def foreign_keys(builder: TopologyBuilder) -> Any:
    left, right = (builder.table(topic, key=str, value=Value) for topic in ("left", "right"))
    return left.left_join(right, pair, foreign_key=fk, store="pairs").to_stream()


def groups(builder: TopologyBuilder) -> Any:
    left = builder.table("left", key=str, value=Value)
    builder.table("right", key=str, value=Value)
    texts = left.group_by(grouped).aggregate(str, str.__add__, lambda text, n: text.replace(n, "", 1))
    return texts.to_stream()


def built(define: Any) -> Topology:
    builder = TopologyBuilder()
    define(builder).to("out")
    return builder.build()


class Tasks:
    """One task per sub-topology; `restart` replaces them by new tasks, restored from changes that were encoded and decoded."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._changes: list[list[tuple[str, StoreChange]]] = [[] for _ in topology.sub_topologies]
        self._tasks = [self._new_task(number) for number in range(len(topology.sub_topologies))]

    def process(self, topic: str, key: str | None, value: Any, timestamp: int) -> list[tuple[Any, ...]]:
        """Process a record and those that it causes in repartition topics; return the results."""
        results: list[tuple[Any, ...]] = []
        pending: list[Output] = []
        self._process(topic, key, value, timestamp, pending)
        while pending:
            output = pending.pop(0)
            if output.internal:
                self._process(*output[:4], pending)
            else:
                results.append(output[:4])
        return results

    def advance_wall_clock(self, now_ms: int) -> None:
        for task in self._tasks:
            task.advance_wall_clock(now_ms)

    def restart(self) -> None:
        for number, task in enumerate(self._tasks):
            for store, change in task.drain_changes():
                key_codec, value_codec = (JsonCodecs().for_state(found) for found in task.state_types(store))
                key = key_codec.decode(key_codec.encode(change.key))
                self._changes[number].append((store, StoreChange(key, value_codec.decode(value_codec.encode(change.value)))))
            restored = self._new_task(number)
            restored.restore(self._changes[number])
            restored.advance_wall_clock(task.wall_clock_ms)
            self._tasks[number] = restored

    def _new_task(self, number: int) -> Task:
        return Task(self._topology, number, 0, stores=MemoryStateStores())

    def _process(self, topic: str, key: Any, value: Any, timestamp: int, outputs: list[Output]) -> None:
        for task in self._tasks:
            if topic in task.topics:
                task.process(topic, key, value, timestamp)
                outputs.extend(task.take_output())


RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["left", "right"]),
        st.sampled_from(["p", "q", "r"]),
        st.none() | st.fixed_dictionaries({"n": st.sampled_from("12")}, optional={"fk": st.sampled_from("pqr")}),
        st.integers(0, 100),
    ),
    max_size=30,
)


@pytest.mark.parametrize(
    "define", [streams, streams_with_condition, streams_without_bounds, streams_until, tables, foreign_keys, groups]
)
@given(records=RECORDS, restart_every=st.integers(1, 6))
@settings(max_examples=examples(60))
def test_restarts_do_not_change_the_results(define: Any, records: list[tuple[str, str, Any, int]], restart_every: int) -> None:
    topology = built(define)
    uninterrupted, restarted = Tasks(topology), Tasks(topology)
    for number, record in enumerate(records, start=1):
        for tasks in (uninterrupted, restarted):
            tasks.advance_wall_clock(number * 10)
        assert restarted.process(*record) == uninterrupted.process(*record)
        if number % restart_every == 0:
            restarted.restart()


def test_records_without_a_match_have_the_types_of_their_sides_after_a_restart() -> None:
    def define(builder: TopologyBuilder) -> Any:
        left, right = builder.stream("left", key=str, value=str), builder.stream("right", key=str, value=int)
        windows = join_windows(before=5, after=5, grace=0)
        return left.outer_join(right, lambda text, number: f"{text!r} {number!r}", windows=windows)

    tasks = Tasks(built(define))
    tasks.process("left", "p", "1", 0)
    tasks.process("right", "q", 2, 0)
    tasks.restart()
    assert {value for _, _, value, _ in tasks.process("left", "r", "3", 100)} == {"'1' None", "None 2"}
