"""Topics that are joined must have equal numbers of partitions; repartition topics adapt to the other topic."""

import re
from typing import Any

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.runtime.plan.partitions import check_partition_counts, task_counts, topic_partitions
from eddyline.application.topology import Topology, TopologyBuilder, TopologyError, join_windows
from eddyline.testing import MemoryEngine
from tests.adapters.memory.running import run_of

WINDOWS = join_windows(before=5, after=5, grace=0)


def pair(left: str, right: str) -> str:
    return f"{left}{right}"


def streams(builder: TopologyBuilder, *, partitions: int | None = None) -> None:
    left, right = builder.stream("left", key=str, value=str), builder.stream("right", key=str, value=str)
    if partitions:
        left = left.repartition(name="moved", partitions=partitions)
    left.join(right, pair, windows=WINDOWS, name="both").to("out")


def tables(builder: TopologyBuilder) -> None:
    left, right = builder.table("left", key=str, value=str), builder.table("right", key=str, value=str)
    left.join(right, pair, name="both").to_stream().to("out")


def merged(builder: TopologyBuilder) -> None:
    right = builder.table("right", key=str, value=str)
    builder.stream("other", key=str, value=str).merge(builder.stream("left", key=str, value=str)).join(right, pair, name="both")


def cogrouped(builder: TopologyBuilder) -> None:
    left, right = (builder.stream(topic, key=str, value=str).group_by_key() for topic in ("left", "right"))
    left.cogroup(pair).cogroup(right, pair).aggregate(str, name="both").to_stream().to("out")


def built(define: Any, **options: Any) -> Topology:
    builder = TopologyBuilder()
    define(builder, **options)
    return builder.build()


@pytest.mark.parametrize("define", [streams, tables, merged, cogrouped])
def test_joined_topics_with_different_numbers_of_partitions_are_refused_with_the_fix(define: Any) -> None:
    partitions = {"left": 4, "right": 3, "other": 4}
    with pytest.raises(
        TopologyError, match=r"operator 'both.*' and 'right', which have 4 and 3 partitions.*\.repartition\(partitions=3\)"
    ):
        MemoryEngine(built(define), partitions=partitions)


def test_a_repartition_with_the_same_number_is_accepted() -> None:
    topology = built(streams, partitions=3)
    counts = topic_partitions(topology, {"left": 4, "right": 3})
    assert (counts["moved-repartition"], task_counts(topology, counts)) == (3, (4, 3))


def test_a_repartition_with_another_number_is_refused() -> None:
    with pytest.raises(TopologyError, match="joins topics 'moved-repartition' and 'right', which have 2 and 3 partitions"):
        topic_partitions(built(streams, partitions=2), {"left": 4, "right": 3})


def test_a_rekeyed_stream_gets_the_number_of_the_other_topic() -> None:
    def rekeyed(builder: TopologyBuilder) -> None:
        right = builder.table("right", key=str, value=str)
        builder.stream("left", key=str, value=str).select_key(pair, key=str).join(right, pair, name="both").to("out")

    assert topic_partitions(built(rekeyed), {"left": 8, "right": 3})["both-repartition"] == 3


def test_two_rekeyed_streams_get_the_larger_number_upstream() -> None:
    def rekeyed(builder: TopologyBuilder) -> None:
        left, right = (builder.stream(topic, key=str, value=str).select_key(pair, key=str) for topic in ("left", "right"))
        left.join(right, pair, windows=WINDOWS, name="both").to("out")

    counts = topic_partitions(built(rekeyed), {"left": 8, "right": 3})
    assert (counts["both-left-repartition"], counts["both-right-repartition"]) == (8, 8)


def test_tables_of_a_foreign_key_join_may_have_different_numbers() -> None:
    def by_foreign_key(builder: TopologyBuilder) -> None:
        left, right = builder.table("left", key=str, value=str), builder.table("right", key=str, value=str)
        left.join(right, pair, foreign_key=str, name="both").to_stream().to("out")

    counts = topic_partitions(built(by_foreign_key), {"left": 8, "right": 3})
    assert counts["both-subscription-registration-topic"] == 3


def test_a_global_table_may_have_another_number() -> None:
    def with_global_table(builder: TopologyBuilder) -> None:
        right = builder.global_table("right", key=str, value=str)
        builder.stream("left", key=str, value=str).join(right, pair, key_selector=pair).to("out")

    assert topic_partitions(built(with_global_table), {"left": 8, "right": 3}) == {"left": 8, "right": 3}


def test_all_topics_that_match_a_pattern_must_be_copartitioned_if_they_are_joined() -> None:
    builder = TopologyBuilder()
    orders = builder.stream(re.compile("orders-.*"), key=str, value=str)
    orders.join(builder.table("customers", key=str, value=str), lambda order, customer: order + customer, name="with").to("out")
    topology = builder.build()
    equal = {"orders-a": 4, "orders-b": 4, "customers": 4}
    assert topic_partitions(topology, equal)["orders-b"] == 4
    with pytest.raises(
        TopologyError, match="operator 'with' joins topics 'orders-a' and 'orders-b', which have 4 and 2 partitions"
    ):
        topic_partitions(topology, {**equal, "orders-b": 2})


def test_topics_that_match_a_pattern_need_not_be_copartitioned_without_a_join() -> None:
    builder = TopologyBuilder()
    builder.stream(re.compile("orders-.*"), key=str, value=str).to("out")
    assert topic_partitions(builder.build(), {"orders-a": 4, "orders-b": 2})["/orders-.*/"] == 4


def test_the_global_table_of_a_stream_need_not_have_as_many_partitions() -> None:
    builder = TopologyBuilder()
    left, right = builder.stream("left", key=str, value=str), builder.table("right", key=str, value=str)
    everywhere = builder.global_table("everywhere", key=str, value=str)
    widened = left.join(everywhere, pair, key_selector=lambda key, _value: key, value=str)
    widened.join(right, pair, value=str).to("out")
    topology = builder.build()
    counts = {"left": 2, "right": 2, "everywhere": 1}
    assert topic_partitions(topology, counts) == counts


REPARTITIONED = "with-right-repartition"


def joined_pattern(builder: TopologyBuilder) -> None:
    orders = builder.stream(re.compile("orders-.*"), key=str, value=str)
    orders.join(builder.table("customers", key=str, value=str), pair, value=str, name="with").to("out")


def rekeyed_with_pattern(builder: TopologyBuilder) -> None:
    customers = builder.stream("customers", key=str, value=str).select_key(lambda _key, value: value, key=str)
    within = join_windows(before=1, after=1, grace=0)
    orders = builder.stream(re.compile("orders-.*"), key=str, value=str)
    orders.join(customers, pair, windows=within, value=str, name="with").to("out")


@pytest.mark.parametrize(
    ("define", "new", "message"),
    [
        (joined_pattern, 4, "operator 'with' joins topics 'orders-late' and 'customers', which have 4 and 2 partitions"),
        (
            rekeyed_with_pattern,
            4,
            "topic 'orders-late' has 4 partitions now, to which the repartition topics of this run do not .*; restart the flow$",
        ),
    ],
)
def test_a_topic_that_appears_while_the_flow_runs_must_be_copartitioned(define: Any, new: int, message: str) -> None:
    topology = built(define)
    planned = topic_partitions(topology, {"customers": 2})
    check_partition_counts(topology, planned, {"customers": 2})
    check_partition_counts(topology, planned, {"customers": 2, "orders-late": planned.get(REPARTITIONED, 2)})
    with pytest.raises(TopologyError, match=message):
        check_partition_counts(topology, planned, {"customers": 2, "orders-late": new})


def test_a_run_ends_when_a_topic_appears_that_cannot_be_joined() -> None:
    log = MemoryEventLog()
    log.create_topic("customers", 2)
    run = run_of(built(joined_pattern), log)
    run.run_available_now()
    log.create_topic("orders-a", 2)
    run.run_available_now()
    log.create_topic("orders-b", 3)
    with pytest.raises(TopologyError, match="operator 'with' joins topics 'orders-a' and 'orders-b', which have 2 and 3"):
        run.run_available_now()


@pytest.mark.parametrize(
    ("define", "expected"),
    [
        (joined_pattern, {"customers": 2, "/orders-.*/": 2}),
        (rekeyed_with_pattern, {"customers": 2, "/orders-.*/": 2, REPARTITIONED: 2}),
    ],
)
def test_a_pattern_that_matches_no_topic_yet_has_the_number_of_the_topics_that_it_is_joined_with(
    define: Any, expected: dict[str, int]
) -> None:
    assert topic_partitions(built(define), {"customers": 2}) == expected


def test_a_pattern_that_matches_no_topic_yet_and_is_not_joined_has_one_partition() -> None:
    def define(builder: TopologyBuilder) -> None:
        orders = builder.stream(re.compile("orders-.*"), key=str, value=str)
        orders.group_by(lambda _key, value: value, key=str, name="by-value").count(store="counts").to_stream().to("out")

    assert topic_partitions(built(define), {}) == {"/orders-.*/": 1, "by-value-repartition": 1}
