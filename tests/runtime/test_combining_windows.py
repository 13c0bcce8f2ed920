"""Windowed aggregations that are combined before their records are repartitioned, compared with the same without."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import (
    Stream,
    Table,
    TopologyBuilder,
    Windowed,
    calendar_days,
    hopping,
    on_window_close,
    sliding,
    tumbling,
    unlimited,
)
from eddyline import aggregations as agg
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.plan.combining import combined
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology.nodes import WindowCombineNode
from eddyline.application.topology.types import Emit
from eddyline.application.topology.windows import EnumerableWindows, SlidingWindows
from tests.adapters.memory.running import built, run_of
from tests.runtime.combined_runs import Record, run_combined, run_without_combining

LATEST = RunOptions(application_id="app", emit="latest")
WINDOWS = (
    tumbling(5, grace=0),
    tumbling(5, grace=3),
    tumbling(5, grace=20),
    hopping(6, advance=2, grace=0),
    hopping(6, advance=2, grace=5),
    hopping(5, advance=3, grace=1),
    hopping(4, advance=1, grace=2),
    unlimited(start=3),
    calendar_days("UTC", grace=0),
)


def _key_of(_key: str, value: int) -> str:
    """Return the key of a value, null for 0 in spite of the types; the two keys belong to different partitions."""
    return "ad"[value % 2] if value else None  # type: ignore[return-value]


def _collected(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted((*one, *other)))


def _nothing() -> tuple[int, ...]:
    return ()


def _add(key: str, found: tuple[int, ...], value: int) -> tuple[int, ...]:
    return _collected(found, (value + ord(key),))


AGGREGATIONS: dict[str, Callable[[Stream[str, int], EnumerableWindows | SlidingWindows], Table[Windowed[str], Any]]] = {
    "count": lambda stream, windows: stream.group_by(_key_of, key=str).windowed_by(windows).count(store="s"),
    "reduce": lambda stream, windows: stream.group_by(_key_of, key=str).windowed_by(windows).reduce(max, merge=max, store="s"),
    "aggregate with keys": lambda stream, windows: (
        stream.group_by(_key_of, key=str)
        .windowed_by(windows)
        .aggregate(
            _nothing,
            _add,
            merge=_collected,
            with_key=True,
            store="s",
        )
    ),
    "top n": lambda stream, windows: (
        stream.group_by(_key_of, key=str).windowed_by(windows).aggregate(agg.top_n(2, by=abs, with_ties=True), store="s")
    ),
}


def _flow(name: str, windows: EnumerableWindows | SlidingWindows) -> Callable[[TopologyBuilder], None]:
    def define(builder: TopologyBuilder) -> None:
        AGGREGATIONS[name](builder.stream("in", key=str, value=int), windows).to_stream().to("out")

    return define


@pytest.mark.parametrize("name", AGGREGATIONS)
@given(
    windows=st.sampled_from(WINDOWS),
    records=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9), st.integers(0, 40)), max_size=40),
    batch=st.integers(1, 40),
)
def test_combining_changes_neither_updates_nor_drops(
    name: str, windows: EnumerableWindows, records: list[Record], batch: int
) -> None:
    define = _flow(name, windows)
    assert run_combined(define, records, batch) == run_without_combining(define, records, batch)


# What the rules of combining are for; even values have the key `a`, odd ones `d`. Drawn at random, such records are rare.
CLOSED_BY_ANOTHER_RECORD = [(0, 1, 6), (0, 1, 4), (0, 1, 9)]
"""The last record closes the window of the second one and belongs to the partial aggregate of the first one."""
CLOSED_FOR_ONE_KEY = [(0, 1, 20), (0, 2, 3), (0, 2, 9), (0, 2, 3), (0, 1, 3)]
"""Of the records at 3, the first one is not late: the window is closed in the task of the other key alone."""
DAY = 86_400_000
DAYS_OUT_OF_ORDER = [(0, 1, 5), (0, 3, DAY - 1), (0, 1, DAY), (0, 1, 7), (0, 1, DAY + 1), (1, 1, 9)]
NEWEST_FIRST = [(0, 1, 3), (0, 1, 1)]
CLOSED_BY_ANOTHER_PARTITION = [(0, 1, 3), (1, 1, 20), (0, 1, 3), (1, 1, 3)]

LATE_OR_NOT = (CLOSED_BY_ANOTHER_RECORD, CLOSED_FOR_ONE_KEY, NEWEST_FIRST, CLOSED_BY_ANOTHER_PARTITION, DAYS_OUT_OF_ORDER)


@pytest.mark.parametrize("windows", WINDOWS)
@pytest.mark.parametrize("records", LATE_OR_NOT)
def test_a_record_is_late_if_it_is_late_without_combining(windows: EnumerableWindows, records: list[Record]) -> None:
    define = _flow("aggregate with keys", windows)
    assert run_combined(define, records, batch=9) == run_without_combining(define, records, batch=9)


def test_each_record_of_a_late_partial_aggregate_is_counted() -> None:
    log = MemoryEventLog()
    log.create_topic("in", 2)
    run = run_of(built(_flow("count", tumbling(5, grace=0))), log, emit="latest")
    log.append("in", b"k", b"1", 20, partition=1)
    assert not run.run_available_now().drops
    for _ in range(3):
        log.append("in", b"k", b"1", 3, partition=0)
    assert run.run_available_now().drops == {("s-count", "late"): 3}


@pytest.mark.parametrize("emit", ["latest", "every-update"])
def test_a_record_that_is_late_for_several_windows_is_one_record(emit: Emit) -> None:
    log = MemoryEventLog()
    log.create_topic("in", 1)
    for time in (20, 3, 9, 13, 21):
        log.append("in", b"k", b"1", time)
    report = run_of(built(_flow("count", hopping(6, advance=2, grace=4))), log, emit=emit).run_available_now()
    assert report.drops == {("s-count", "late"): 3}
    assert report.late_windows == {"s-count": 2 + 3 + 2}


def test_one_record_for_each_key_and_pane_is_repartitioned() -> None:
    topology = combined(built(_flow("top n", hopping(6, advance=2, grace=0))), LATEST)
    (combine,) = (node for node in topology.nodes if isinstance(node, WindowCombineNode))
    (sink,) = topology.repartition_topics.values()
    assert sink.parents == (combine.name,)
    assert sink.value_type == combine.value_type == tuple[int, list[int]]
    task = Task(topology, 0, 0, stores=MemoryStateStores(), emit="latest")
    for timestamp, value in ((0, 1), (1, 3), (1, 5), (2, 5), (3, 2), (1, 7)):
        task.process("in", "k", value, timestamp)
    task.commit()
    assert [(output.key, output.value, output.timestamp) for output in task.take_output()] == [
        ("d", (4, [5, 7]), 1),
        ("d", (1, [5]), 2),
        ("a", (1, [2]), 3),
    ]


def _emitted_on_close(builder: TopologyBuilder) -> None:
    grouped = builder.stream("in", key=str, value=int).group_by(_key_of, key=str)
    grouped.windowed_by(tumbling(5, grace=0), emit_strategy=on_window_close()).count(store="s")


@pytest.mark.parametrize(
    ("define", "options"),
    [
        (_flow("count", sliding(5, grace=0)), LATEST),
        (_emitted_on_close, LATEST),
        (_flow("count", tumbling(5, grace=0)), replace(LATEST, emit="every-update")),
        (_flow("count", tumbling(5, grace=0)), replace(LATEST, dead_letter_drops=True)),
    ],
)
def test_what_could_be_seen_is_not_combined(define: Callable[[TopologyBuilder], None], options: RunOptions) -> None:
    topology = built(define)
    assert combined(topology, options) is topology
