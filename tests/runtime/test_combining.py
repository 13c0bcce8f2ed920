"""Aggregations that are combined before their records are repartitioned, compared with the same without."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import Stream, Table, TopologyBuilder, aggregations, hopping, session, suppress
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.runtime.plan import run_plan as run_plan_module
from eddyline.application.runtime.plan.combining import combined
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.topology.nodes import CombineNode
from tests.adapters.memory.running import built, run_of
from tests.runtime.plans import all_records

LATEST = RunOptions(application_id="app", emit="latest")

Update: TypeAlias = tuple[bytes | None, int]


@dataclass(frozen=True)
class Totals:
    key: str = ""
    records: int = 0
    greatest: int = 0


def _totals() -> Totals:
    return Totals()


def _add(key: str, totals: Totals, value: str) -> Totals:
    return Totals(key, totals.records + 1, max(totals.greatest, int(value)))


def _merge(one: Totals, other: Totals) -> Totals:
    return Totals(other.key, one.records + other.records, max(one.greatest, other.greatest))


def _by_value(_key: str, value: str) -> str:
    """Return the key of a value, which is null sometimes; a null key is possible, whatever the types say."""
    return {None: "none", "0": None}.get(value, value[:1] if value else "none")  # type: ignore[return-value]


def _greater(one: str, other: str) -> str:
    return max(one, other)


AGGREGATIONS: dict[str, Callable[[Stream[str, str]], Table[str, Any]]] = {
    "count": lambda stream: stream.group_by(_by_value, key=str).count(store="s"),
    "reduce": lambda stream: stream.group_by(_by_value, key=str).reduce(_greater, merge=_greater, store="s"),
    "aggregate": lambda stream: stream.group_by(_by_value, key=str).aggregate(
        _totals, _add, merge=_merge, with_key=True, store="s"
    ),
}


def _flow(aggregation: Callable[[Stream[str, str]], Table[Any, Any]]) -> Callable[[TopologyBuilder], None]:
    def define(builder: TopologyBuilder) -> None:
        aggregation(builder.stream("in", key=str, value=str)).to_stream().to("out")

    return define


def _updates(
    define: Callable[[TopologyBuilder], None], records: Sequence[tuple[int, int | None, int]], batch: int, **options: Any
) -> tuple[dict[bytes | None, list[Update]], dict[tuple[str, str], int]]:
    """Return the updates of each key in their order, and the drops."""
    log = MemoryEventLog()
    log.create_topic("in", 2)
    for partition, value, timestamp in records:
        log.append("in", b"k", None if value is None else b"%d" % value, timestamp, partition=partition)
    report = run_of(built(define), log, emit="latest", max_batch_records=batch, **options).run_available_now()
    found: dict[bytes | None, list[Update]] = defaultdict(list)
    for record in all_records(log, "out"):
        found[record.key].append((record.value, record.timestamp))
    return dict(found), dict(report.drops)


@pytest.mark.parametrize("name", AGGREGATIONS)
@given(
    records=st.lists(
        st.tuples(st.integers(0, 1), st.none() | st.integers(0, 30), st.integers(0, 20)),
        max_size=25,
    ),
    batch=st.integers(1, 30),
)
def test_combining_changes_neither_updates_nor_drops(name: str, records: list[tuple[int, int | None, int]], batch: int) -> None:
    define = _flow(AGGREGATIONS[name])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_plan_module, "combined", lambda topology, _options: topology)
        expected = _updates(define, records, batch)
    assert _updates(define, records, batch) == expected


def _not_seven(_key: str, value: str | None) -> bool:
    if value == "7":
        msg = "seven"
        raise ValueError(msg)
    return True


_COUNTS: dict[str, Callable[[Stream[str, str]], Table[Any, Any]]] = {
    "rows": AGGREGATIONS["count"],
    "matching values": lambda stream: stream.group_by(_by_value, key=str).aggregate(
        aggregations.count().where(lambda value: _not_seven("", value)), store="s"
    ),
    "windows": lambda stream: (
        stream.filter(_not_seven).group_by(_by_value, key=str).windowed_by(hopping(6, advance=2, grace=4)).count(store="s")
    ),
    "sessions": lambda stream: (
        stream.filter(_not_seven).group_by(_by_value, key=str).windowed_by(session(2, grace=4)).count(store="s")
    ),
}


@pytest.mark.parametrize("name", _COUNTS)
@given(
    records=st.lists(
        st.tuples(st.integers(0, 1), st.none() | st.integers(0, 30) | st.just(7), st.integers(0, 20)),
        max_size=25,
    ),
    batch=st.integers(1, 30),
)
def test_counts_are_combined_though_records_may_fail(name: str, records: list[tuple[int, int | None, int]], batch: int) -> None:
    define = _flow(_COUNTS[name])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_plan_module, "combined", lambda topology, _options: topology)
        expected = _updates(define, records, batch, processing_exception_handler="continue")
    assert _updates(define, records, batch, processing_exception_handler="continue") == expected


@pytest.mark.parametrize("name", AGGREGATIONS)
def test_one_record_for_each_key_is_repartitioned(name: str) -> None:
    topology = combined(built(_flow(AGGREGATIONS[name])), LATEST)
    (combine,) = (node for node in topology.nodes if isinstance(node, CombineNode))
    (sink,) = topology.repartition_topics.values()
    aggregation = topology.by_name[combine.aggregation]
    assert sink.parents == (combine.name,)
    assert sink.value_type == aggregation.value_type == combine.value_type
    assert [sub.stores for sub in topology.sub_topologies] == [(), ("s",)]


def _not_mergeable(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=str).group_by(_by_value, key=str).reduce(_greater, store="s").to_stream().to("out")


def _every_update(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=str).group_by(_by_value, key=str).count(store="s", caching=False).to_stream().to("out")


def _not_repartitioned(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=str).group_by_key().count(store="s").to_stream().to("out")


def _two_aggregations(builder: TopologyBuilder) -> None:
    group = builder.stream("in", key=str, value=str).group_by(_by_value, key=str, name="first")
    group.count(store="s")
    group.reduce(_greater, merge=_greater, store="t")


def _suppressed(builder: TopologyBuilder) -> None:
    table = builder.stream("in", key=str, value=str).group_by(_by_value, key=str).count(store="s")
    table.suppress(suppress.until_time_limit(timedelta(seconds=1))).to_stream().to("out")


def _joined(builder: TopologyBuilder) -> None:
    table = builder.stream("in", key=str, value=str).group_by(_by_value, key=str).count(store="s")
    builder.stream("other", key=str, value=str).join(table, lambda left, count: f"{left}{count}", value=str).to("out")


@pytest.mark.parametrize(
    "define",
    [_not_mergeable, _every_update, _not_repartitioned, _two_aggregations, _suppressed, _joined],
)
def test_what_could_be_seen_is_not_combined(define: Callable[[TopologyBuilder], None]) -> None:
    topology = built(define)
    assert combined(topology, LATEST) is topology


@pytest.mark.parametrize(
    "options",
    [
        RunOptions(application_id="app"),
        RunOptions(application_id="app", emit="latest", order="arrival"),
    ],
)
def test_options_that_need_every_record_prevent_combining(options: RunOptions) -> None:
    topology = built(_flow(AGGREGATIONS["count"]))
    assert combined(topology, options) is topology


@pytest.mark.parametrize(
    "options",
    [
        RunOptions(application_id="app", emit="latest", processing_exception_handler="continue"),
        RunOptions(application_id="app", emit="latest", production_exception_handler="dead-letter"),
    ],
)
def test_what_a_merge_may_fail_for_is_not_combined_if_the_run_goes_on(options: RunOptions) -> None:
    for name, aggregation in AGGREGATIONS.items():
        topology = built(_flow(aggregation))
        assert (combined(topology, options) is topology) == (name != "count")


def test_a_table_with_a_cache_of_its_own_is_combined_in_every_run() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str).group_by(_by_value, key=str).count(store="s", caching=True)

    assert combined(built(define), RunOptions(application_id="app")).repartition_topics != {}
    assert any(isinstance(node, CombineNode) for node in combined(built(define), RunOptions(application_id="app")).nodes)
