"""Sessions whose records are collected before they are repartitioned, compared with the same without."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import SessionWindows, Stream, Table, TopologyBuilder, Windowed, on_window_close, session
from eddyline import aggregations as agg
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.plan.combining import combined, without_counted_values
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology.nodes import SessionCombineNode
from tests.adapters.memory.running import built, run_of
from tests.runtime.combined_runs import Record, run_combined, run_without_combining
from tests.runtime.plans import all_records

LATEST = RunOptions(application_id="app", emit="latest")
WINDOWS = tuple(session(gap, grace=grace) for gap in (1, 4) for grace in (0, 3, 9))


def _key_of(_key: str, value: int) -> str:
    """Return the key of a value, null for 0 in spite of the types."""
    return "abcd"[value % 4] if value else None  # type: ignore[return-value]


AGGREGATIONS: dict[str, Callable[[Stream[str, int], SessionWindows], Table[Windowed[str], Any]]] = {
    "count": lambda stream, windows: stream.group_by(_key_of, key=str).windowed_by(windows).count(store="s"),
    "top n": lambda stream, windows: (
        stream.group_by(_key_of, key=str).windowed_by(windows).aggregate(agg.top_n(2, by=abs), store="s")
    ),
    "mean": lambda stream, windows: stream.group_by(_key_of, key=str).windowed_by(windows).aggregate(agg.avg(abs), store="s"),
}


def _flow(name: str, windows: SessionWindows) -> Callable[[TopologyBuilder], None]:
    def define(builder: TopologyBuilder) -> None:
        AGGREGATIONS[name](builder.stream("in", key=str, value=int), windows).to_stream().to("out")

    return define


@pytest.mark.parametrize("name", AGGREGATIONS)
@given(
    windows=st.sampled_from(WINDOWS),
    records=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 40)), max_size=40),
    batch=st.integers(1, 40),
)
def test_combining_changes_neither_updates_nor_drops(
    name: str, windows: SessionWindows, records: list[tuple[int, int]], batch: int
) -> None:
    define = _flow(name, windows)
    of_one_partition = [(value // 2 % 2, value, timestamp) for value, timestamp in records]
    assert run_combined(define, of_one_partition, batch) == run_without_combining(define, of_one_partition, batch)


@pytest.mark.parametrize("name", AGGREGATIONS)
@given(
    gap=st.integers(1, 5),
    records=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9), st.integers(0, 40)), max_size=40),
    batch=st.integers(1, 40),
)
def test_records_of_a_session_come_from_several_partitions_unless_late(
    name: str, gap: int, records: list[Record], batch: int
) -> None:
    define = _flow(name, session(gap, grace=50))
    assert run_combined(define, records, batch) == run_without_combining(define, records, batch)


LATE_FOR_ANOTHER_KEY = [(0, 1, 3), (0, 2, 30), (0, 1, 4), (0, 1, 5)]
EXTENDS_WHAT_MAY_EXPIRE = [(0, 1, 3), (0, 2, 8), (0, 1, 6), (0, 2, 13), (0, 1, 8), (0, 2, 9)]
AHEAD_IN_ANOTHER_PARTITION = [(1, 2, 30), (0, 1, 20), (0, 1, 22), (0, 1, 24), (0, 1, 26), (0, 1, 28)]
NEWEST_FIRST = [(0, 1, 9), (0, 1, 6), (0, 1, 3), (0, 1, 7)]


@pytest.mark.parametrize("windows", WINDOWS)
@pytest.mark.parametrize("records", [LATE_FOR_ANOTHER_KEY, EXTENDS_WHAT_MAY_EXPIRE, AHEAD_IN_ANOTHER_PARTITION, NEWEST_FIRST])
@pytest.mark.parametrize("batch", [2, 9])
def test_a_record_is_late_if_it_is_late_without_combining(windows: SessionWindows, records: list[Record], batch: int) -> None:
    define = _flow("count", windows)
    assert run_combined(define, records, batch) == run_without_combining(define, records, batch)


def test_late_records_of_a_session_are_counted_and_the_others_kept() -> None:
    log = MemoryEventLog()
    log.create_topic("in", 2)
    run = run_of(built(_flow("count", session(3, grace=9))), log, emit="latest")
    log.append("in", b"k", b"1", 30, partition=1)
    assert not run.run_available_now().drops
    for timestamp in (15, 16, 17, 19, 20):
        log.append("in", b"k", b"1", timestamp, partition=0)
    assert run.run_available_now().drops == {("s-count", "late"): 3}
    assert [record.value for record in all_records(log, "out")] == [b"1", b"2"]


def _collected(define: Callable[[TopologyBuilder], None], records: Sequence[tuple[int, int, Any]]) -> list[tuple[Any, Any, int]]:
    """Return what a task forwards for values, timestamps and headers."""
    task = Task(combined(built(define), LATEST), 0, 0, stores=MemoryStateStores(), emit="latest")
    for value, timestamp, headers in records:
        task.process("in", "k", value, timestamp, headers)
    task.commit()
    return [(output.key, output.value, output.timestamp) for output in task.take_output()]


def test_the_records_of_a_session_are_repartitioned_together() -> None:
    define = _flow("top n", session(3, grace=20))
    topology = combined(built(define), LATEST)
    (combine,) = (node for node in topology.nodes if isinstance(node, SessionCombineNode))
    (sink,) = topology.repartition_topics.values()
    assert sink.parents == (combine.name,)
    assert sink.value_type == combine.value_type == tuple[list[int], list[list[int]]]
    given_records = [(1, 5, ()), (5, 3, ()), (2, 5, ()), (1, 8, ()), (1, 12, ())]
    assert _collected(define, given_records) == [
        ("b", ([3, 5, 0], [[1], [5], [1]]), 8),
        ("c", ([0], [[2]]), 5),
        ("b", ([0], [[1]]), 12),
    ]


def test_records_with_other_headers_are_repartitioned_separately() -> None:
    define = _flow("count", session(3, grace=20))
    found = _collected(define, [(1, 1, ()), (1, 2, ()), (1, 3, (("trace", b"1"),)), (1, 4, (("trace", b"1"),))])
    assert found == [("b", ([1, 0], []), 2), ("b", ([1, 0], []), 4)]


def test_values_that_are_only_counted_are_left_out_once() -> None:
    topology = combined(built(_flow("count", session(3, grace=20))), LATEST)
    assert without_counted_values(topology, LATEST) is topology


def _emitted_on_close(builder: TopologyBuilder) -> None:
    grouped = builder.stream("in", key=str, value=int).group_by(_key_of, key=str)
    grouped.windowed_by(session(5, grace=0), emit_strategy=on_window_close()).count(store="s")


def _reduced(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=int).group_by(_key_of, key=str).windowed_by(session(5, grace=0)).reduce(max, store="s")


def _in_order(builder: TopologyBuilder) -> None:
    grouped = builder.stream("in", key=str, value=int).group_by(_key_of, key=str)
    grouped.windowed_by(session(5, grace=0)).aggregate(agg.collect_list(), store="s")


@pytest.mark.parametrize(
    ("define", "options"),
    [
        (_emitted_on_close, LATEST),
        (_reduced, LATEST),
        (_in_order, LATEST),
        (_flow("count", session(5, grace=0)), replace(LATEST, emit="every-update")),
        (_flow("count", session(5, grace=0)), replace(LATEST, dead_letter_drops=True)),
    ],
)
def test_what_could_be_seen_is_not_combined(define: Callable[[TopologyBuilder], None], options: RunOptions) -> None:
    topology = built(define)
    assert combined(topology, options) is topology
