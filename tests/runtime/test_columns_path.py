"""Many records that are processed at once, by column, compared with the same records one by one."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import TopologyBuilder
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.operators.context import NO_TIME
from eddyline.application.ports.event_log import Headers
from eddyline.application.topology.records import RecordMetadata
from eddyline.application.topology.timestamps import MAX_TIMESTAMP
from tests.adapters.memory.running import built, run_of
from tests.runtime.columns_flows import (
    AGGREGATIONS,
    RECORDS,
    STEPS,
    assert_alike,
    error_of,
    fails_on,
    first_letter,
    flow,
    longer,
    observed,
    record,
    task_of,
)
from tests.runtime.plans import all_records
from tests.runtime.together import TogetherOnly


@pytest.mark.parametrize("step", STEPS)
@given(aggregation=st.sampled_from(sorted(AGGREGATIONS)), batches=st.lists(RECORDS, max_size=3))
def test_records_are_processed_together_as_one_by_one(
    step: str, aggregation: str, batches: list[list[tuple[str | None, str | None, int, Headers]]]
) -> None:
    together, one_by_one = task_of(flow(step, aggregation), TogetherOnly), task_of(flow(step, aggregation))
    for batch in batches:
        records = [record(offset, *found) for offset, found in enumerate(batch)]
        assert_alike(together, one_by_one, records)


@pytest.mark.parametrize("timestamp", [-1, MAX_TIMESTAMP + 1])
def test_an_invalid_timestamp_drops_its_record_alone(timestamp: int) -> None:
    task = task_of(flow("none", "count"))
    task.process_all([record(0, "k", "a", 1), record(1, "k", "a", timestamp), record(2, "k", "a", MAX_TIMESTAMP)])
    task.commit()
    assert [(output.key, output.value, output.timestamp) for output in task.take_output()] == [("a", 2, MAX_TIMESTAMP)]
    assert sum(task.take_drops().values()) == 1


def _failing_mapper(builder: TopologyBuilder) -> None:
    words = builder.stream("in", key=str, value=str).flat_map_values(str.split, value=str)
    words.map_values(fails_on("d"), value=str).group_by(first_letter, key=str).count(store="s")


def _failing_adder(builder: TopologyBuilder) -> None:
    words = builder.stream("in", key=str, value=str).flat_map_values(str.split, value=str)
    words.group_by(lambda _key, _value: "k", key=str).reduce(lambda _one, other: fails_on("d")(other), merge=longer, store="s")


def _failing_adder_with_key(builder: TopologyBuilder) -> None:
    words = builder.stream("in", key=str, value=str).flat_map_values(str.split, value=str)
    words.group_by(lambda _key, _value: "k", key=str).aggregate(
        str, lambda _key, _text, value: fails_on("d")(value), merge=longer, with_key=True, value=str, store="s"
    )


@pytest.mark.parametrize("define", [_failing_mapper, _failing_adder, _failing_adder_with_key])
def test_an_exception_names_the_operator_and_the_record(define: Callable[[TopologyBuilder], None]) -> None:
    records = [
        record(4, None, "a b", 1),
        record(5, None, "", 2),
        record(6, None, "a c d e", 3, (("h", b""),)),
        record(7, None, "a", 4),
    ]
    found = error_of(task_of(define), records)
    one_by_one = task_of(define)
    with pytest.raises(ValueError, match="bad d") as raised:
        one_by_one.process_each(records)
    assert found == ("bad d", raised.value.__notes__, RecordMetadata("in", 0, 6, 3, (("h", b""),)))
    assert one_by_one.metadata == found[2]


def test_an_exception_names_the_last_record_if_the_functions_do_not_return_the_same_again() -> None:
    calls: list[str] = []

    def once(value: str) -> list[str]:
        calls.append(value)
        if len(calls) > 2:
            msg = "called again"
            raise RuntimeError(msg)
        return [value]

    def define(builder: TopologyBuilder) -> None:
        words = builder.stream("in", key=str, value=str).flat_map_values(once, value=str)
        words.group_by(lambda _key, _value: "k", key=str).reduce(
            lambda _one, other: fails_on("d")(other), merge=longer, store="s"
        )

    error, _, metadata = error_of(task_of(define), [record(0, None, "a", 1), record(1, None, "d", 2)])
    assert (error, metadata) == ("bad d", RecordMetadata("in", 0, 1, 2, ()))


def _peek(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=str).peek(lambda _key, _value: None).group_by(first_letter, key=str).count(store="s")


def _two_children(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str)
    stream.group_by(first_letter, key=str).count(store="s")
    stream.to("copy")


def _split(builder: TopologyBuilder) -> None:
    branches = builder.stream("in", key=str, value=str).split().branch(lambda _key, value: value == "a", name="a")
    found = branches.default_branch(name="b")
    found["a"].group_by(first_letter, key=str).count(store="s")
    found["b"].to("rest")


def _merged_and_copied(builder: TopologyBuilder) -> None:
    other = builder.stream("other", key=str, value=str)
    builder.stream("in", key=str, value=str).merge(other).group_by(first_letter, key=str).count(store="s")
    other.to("copy")


def _sources_of_a_pattern(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str).merge(builder.stream(re.compile("others-.*"), key=str, value=str))
    stream.group_by(first_letter, key=str).count(store="s")


def _extractor(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str, timestamp=lambda record: record.timestamp)
    stream.group_by(first_letter, key=str).count(store="s")


def _one_topic(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str)
    stream.to("out")
    stream.map_values(lambda value: value, value=str).to("out")


def _merged_with_itself(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str)
    stream.merge(stream.filter(lambda _key, value: value == "a")).to("out")


def _chosen_topic(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=str).to(lambda _key, value: value)


def _chosen_topic_below_counts(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str)
    stream.group_by_key().count(store="s").to_stream().to(lambda _key, count: f"out-{count}")
    stream.to("copy")


def _pattern(builder: TopologyBuilder) -> None:
    builder.stream(re.compile("in.*"), key=str, value=str).group_by(first_letter, key=str).count(store="s")


def test_records_that_are_processed_again_one_by_one_are_dropped_once() -> None:
    def define(builder: TopologyBuilder) -> None:
        stream = builder.stream("in", key=str, value=str).filter(lambda _key, value: value != "a", drop_reason="a")
        stream.map_values(fails_on("d"), value=str).group_by(first_letter, key=str).count(store="s")

    task = task_of(define)
    with pytest.raises(ValueError, match="bad d"):
        task.process_all([record(0, None, "a", 1), record(1, None, "d", 2)])
    assert sum(task.take_drops().values()) == 1
    task.process_all([record(2, None, "b", 3), record(3, None, "a", 4)])
    assert sum(task.take_drops().values()) == 1


@pytest.mark.parametrize("define", [_peek, _two_children, _split, _pattern])
@given(batches=st.lists(RECORDS, max_size=3))
def test_what_follows_is_done_in_turns_if_its_order_does_not_matter(
    define: Callable[[TopologyBuilder], None], batches: list[list[tuple[str | None, str | None, int, Headers]]]
) -> None:
    together, one_by_one = task_of(define, TogetherOnly), task_of(define)
    for batch in batches:
        records = [record(offset, *found) for offset, found in enumerate(batch)]
        if records:
            together.process_all(records)
        one_by_one.process_each(records)
        for task in (together, one_by_one):
            task.commit()
        assert observed(together) == observed(one_by_one)


@pytest.mark.parametrize(
    "define",
    [_sources_of_a_pattern, _extractor, _one_topic, _merged_with_itself, _chosen_topic, _chosen_topic_below_counts],
)
def test_other_records_are_processed_one_by_one(define: Callable[[TopologyBuilder], None]) -> None:
    assert set(task_of(define).together) <= ({"in"} if define is _sources_of_a_pattern else set())


def test_records_of_several_topics_are_processed_together_if_what_they_reach_is_apart() -> None:
    assert set(task_of(_merged_and_copied).together) == {"in", "other"}


@pytest.mark.parametrize("options", [{"keep_dropped": True}, {"count_by_node": True}])
def test_what_is_noted_of_each_record_is_noted_of_records_together(options: dict[str, Any]) -> None:
    task = task_of(flow("none", "count"), TogetherOnly, **options)
    task.process_all([record(3, "k", None, 1), record(4, "k", "a", 2)])
    if "keep_dropped" in options:
        assert [found.source for found in task.take_dropped()] == [RecordMetadata("in", 0, 3, 1, ())]
    else:
        assert task.take_processed()["s-count-combine"] == 2
    assert task.stream_time != NO_TIME


@pytest.mark.parametrize("batch", [1, 2, 1_000])
def test_a_run_counts_what_the_operators_forward(batch: int) -> None:
    log = MemoryEventLog()
    log.create_topic("in", 2)
    for number in range(600):
        log.append("in", b"k", b"a b c a", number, partition=number % 2)
    run_of(built(flow("flat map values", "count")), log, emit="latest", max_batch_records=batch).run_available_now()
    assert {record.key: record.value for record in all_records(log, "out")} == {b"a": b"1200", b"b": b"600", b"c": b"600"}


@pytest.mark.parametrize(
    ("define", "reason"),
    [
        (_extractor, "a timestamp extractor is called for each record"),
        (_one_topic, "'out-sink' and 'out-sink-from-in' write to the same topic or store"),
        (_merged_with_itself, "its records meet again downstream"),
        (_chosen_topic, "takes what it forwards one by one"),
        (_two_children, None),
    ],
)
def test_a_source_says_why_its_records_are_processed_one_by_one(
    define: Callable[[TopologyBuilder], None], reason: str | None
) -> None:
    task = task_of(define)
    found = task.one_by_one("in")
    assert (found is None) == ("in" in task.together)
    assert found is None if reason is None else reason in (found or "")
