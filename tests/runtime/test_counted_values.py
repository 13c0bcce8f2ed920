"""Values that are only counted are not sent to other tasks."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from eddyline import TopologyBuilder, aggregations, hopping, session, sliding
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.runtime.plan import run_plan as run_plan_module
from eddyline.application.runtime.plan.combining import without_counted_values
from eddyline.application.runtime.plan.options import RunOptions
from tests.adapters.memory.running import built, run_of
from tests.runtime.plans import all_records

EVERY_UPDATE = RunOptions(application_id="app")


def _key_of(_key: str, value: str) -> str:
    return value[:1] if value else "none"


def _count(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=str).group_by(_key_of, key=str).count(store="s").to_stream().to("out")


def _windowed(builder: TopologyBuilder) -> None:
    grouped = builder.stream("in", key=str, value=str).group_by(_key_of, key=str)
    grouped.windowed_by(hopping(6, advance=2, grace=1)).count(store="s").to_stream().to("out")


def _sliding(builder: TopologyBuilder) -> None:
    grouped = builder.stream("in", key=str, value=str).group_by(_key_of, key=str)
    grouped.windowed_by(sliding(5, grace=1)).count(store="s").to_stream().to("out")


def _sessions(builder: TopologyBuilder) -> None:
    grouped = builder.stream("in", key=str, value=str).group_by(_key_of, key=str)
    grouped.windowed_by(session(3, grace=1)).count(store="s").to_stream().to("out")


def _two_counts(builder: TopologyBuilder) -> None:
    grouped = builder.stream("in", key=str, value=str).group_by(_key_of, key=str, name="by-letter")
    grouped.count(store="s").to_stream().to("out")
    grouped.windowed_by(session(3, grace=1)).count(store="t").to_stream().to("out")


def _by_aggregation(builder: TopologyBuilder) -> None:
    grouped = builder.stream("in", key=str, value=str).group_by(_key_of, key=str)
    grouped.aggregate(aggregations.count(), store="s").to_stream().to("out")


COUNTS = [_count, _by_aggregation, _windowed, _sliding, _sessions, _two_counts]


@pytest.mark.parametrize("emit", ["every-update", "latest"])
@pytest.mark.parametrize("define", COUNTS)
def test_results_and_drops_are_the_same(define: Callable[[TopologyBuilder], None], emit: str) -> None:
    def run() -> object:
        log = MemoryEventLog()
        log.create_topic("in", 2)
        for number, (value, timestamp) in enumerate(
            [(b'"ax"', 1), (b'"b"', 3), (None, 2), (b'"ay"', 9), (b'"a"', 2), (b'"b"', 20), (b'"b"', 1), (None, 21)]
        ):
            log.append("in", b'"k"', value, timestamp, partition=number % 2)
        report = run_of(built(define), log, emit=emit).run_available_now()
        return all_records(log, "out"), report.drops

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_plan_module, "without_counted_values", lambda topology, _options: topology)
        expected = run()
    assert run() == expected


@pytest.mark.parametrize("define", COUNTS)
def test_a_counted_value_is_not_sent(define: Callable[[TopologyBuilder], None]) -> None:
    topology = without_counted_values(built(define), EVERY_UPDATE)
    (sink,) = topology.repartition_topics.values()
    assert sink.value_type is int
    assert topology.by_name[sink.parents[0]].value_type is int


def _reduced(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=str).group_by(_key_of, key=str).reduce(max, store="s").to_stream().to("out")


def _counted_and_reduced(builder: TopologyBuilder) -> None:
    grouped = builder.stream("in", key=str, value=str).group_by(_key_of, key=str, name="by-letter")
    grouped.count(store="s").to_stream().to("out")
    grouped.reduce(max, store="t").to_stream().to("out")


def _counted_and_written(builder: TopologyBuilder) -> None:
    letters = builder.stream("in", key=str, value=str).select_key(_key_of, key=str).repartition()
    letters.group_by_key().count(store="s")
    letters.to("out")


def _count_joined_with_a_topic(builder: TopologyBuilder) -> None:
    counts = builder.stream("in", key=str, value=str).group_by(_key_of, key=str).count(store="s")
    counts.join(builder.table("names", key=str, value=str), lambda count, name: f"{name}{count}", value=str)


@pytest.mark.parametrize(
    ("define", "options"),
    [
        (_reduced, EVERY_UPDATE),
        (_counted_and_reduced, EVERY_UPDATE),
        (_counted_and_written, EVERY_UPDATE),
        (_count_joined_with_a_topic, EVERY_UPDATE),
        (_count, replace(EVERY_UPDATE, dead_letter_drops=True)),
        (_count, replace(EVERY_UPDATE, processing_exception_handler="continue")),
    ],
)
def test_a_value_that_something_else_may_need_is_sent(define: Callable[[TopologyBuilder], None], options: RunOptions) -> None:
    topology = built(define)
    assert without_counted_values(topology, options) is topology
