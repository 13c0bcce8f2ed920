"""Which sources are upstream of a node, and how far before stream time it may still get records."""

from typing import Any

import pytest

from eddyline.application.runtime.plan.upstream_sources import Upstream, upstream_of
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.handles import Stream
from eddyline.application.topology.stores import versioned_key_value_store
from eddyline.application.topology.windows import (
    calendar_days,
    hopping,
    join_windows,
    on_window_close,
    session,
    sliding,
    tumbling,
    until_time_limit,
    until_window_closes,
)


def read(builder: TopologyBuilder, topic: str = "a", **options: Any) -> Stream[str, str]:
    return builder.stream(topic, key=str, value=str, **options)


def at_sink(builder: TopologyBuilder) -> Upstream:
    return upstream_of(builder.build())["out-sink"]


def test_a_merge_has_the_sources_of_all_its_parents() -> None:
    builder = TopologyBuilder()
    read(builder, "a").merge(read(builder, "b")).filter(lambda _key, _value: True).to("out")
    assert at_sink(builder) == Upstream(frozenset({"a", "b"}))


def test_sources_are_upstream_through_repartition_topics() -> None:
    builder = TopologyBuilder()
    read(builder).select_key(lambda _key, value: value, key=str).repartition(name="moved").to("out")
    assert at_sink(builder).sources == {"a"}


@pytest.mark.parametrize(("timeout", "sources"), [(None, {"a"}), (5, {"a", "rows"})])
def test_a_table_counts_if_it_has_an_idle_timeout(timeout: int | None, sources: set[str]) -> None:
    builder = TopologyBuilder()
    rows = builder.table("rows", key=str, value=str, idle_timeout=timeout)
    read(builder).merge(rows.to_stream()).to("out")
    assert at_sink(builder).sources == sources


def test_a_table_that_a_stream_is_joined_with_is_not_upstream() -> None:
    builder = TopologyBuilder()
    rows = builder.table("rows", key=str, value=str, idle_timeout=5)
    read(builder).join(rows, lambda left, right: left + right, value=str).to("out")
    assert at_sink(builder).sources == {"a"}


def test_a_topic_that_is_read_as_a_stream_and_as_a_table_counts() -> None:
    builder = TopologyBuilder()
    rows = builder.table("a", key=str, value=str)
    read(builder).join(rows, lambda left, right: left + right, value=str).to("out")
    assert at_sink(builder).sources == {"a"}


def test_global_tables_do_not_count() -> None:
    builder = TopologyBuilder()
    rows = builder.global_table("rows", key=str, value=str)
    joined = read(builder).join(rows, lambda left, right: left + right, key_selector=lambda key, _value: key, value=str)
    joined.to("out")
    assert at_sink(builder).sources == {"a"}


@pytest.mark.parametrize(
    ("windows", "delay_ms"),
    [
        (tumbling(60, grace=5), 65),
        (hopping(60, advance=20, grace=5), 65),
        (sliding(60, grace=5), 66),
        (session(60, grace=5), 65),
        (calendar_days("Europe/Berlin", grace=5), 25 * 3_600_000 + 5),
    ],
)
def test_final_results_come_as_late_as_windows_are_long_and_wait(windows: Any, delay_ms: int) -> None:
    builder = TopologyBuilder()
    grouped = read(builder).group_by_key()
    grouped.windowed_by(windows, emit_strategy=on_window_close()).count(store="counts").to_stream().to("out")
    assert at_sink(builder).delay_ms == delay_ms


def test_the_emit_interval_makes_final_results_later() -> None:
    builder = TopologyBuilder()
    windowed = read(builder).group_by_key().windowed_by(tumbling(60, grace=5), emit_strategy=on_window_close(emit_interval=100))
    windowed.count(store="counts").to_stream().to("out")
    assert at_sink(builder).delay_ms == 165


def test_updates_come_at_once() -> None:
    builder = TopologyBuilder()
    read(builder).group_by_key().windowed_by(tumbling(60, grace=5)).count(store="counts").to_stream().to("out")
    assert at_sink(builder) == Upstream(frozenset({"a"}), 0, 60)


@pytest.mark.parametrize(
    ("until", "delay_ms"),
    [(until_window_closes(), 65), (until_time_limit(30), 30)],
    ids=["until-window-closes", "until-time-limit"],
)
def test_suppressed_updates_come_when_their_wait_is_over(until: Any, delay_ms: int) -> None:
    builder = TopologyBuilder()
    counts = read(builder).group_by_key().windowed_by(tumbling(60, grace=5)).count(store="counts")
    counts.suppress(until).to_stream().to("out")
    assert at_sink(builder).delay_ms == delay_ms


@pytest.mark.parametrize(("kind", "delay_ms"), [("join", 0), ("left_join", 25), ("outer_join", 25)])
def test_records_without_a_match_come_when_their_window_is_over(kind: str, delay_ms: int) -> None:
    builder = TopologyBuilder()
    within = join_windows(before=10, after=20, grace=5)
    join: Any = getattr(read(builder), kind)
    join(read(builder, "b"), lambda left, right: f"{left}{right}", windows=within, value=str, name="joined").to("out")
    assert at_sink(builder) == Upstream(frozenset({"a", "b"}), delay_ms)


def test_records_that_wait_for_a_versioned_table_come_after_their_grace_period() -> None:
    builder = TopologyBuilder()
    rows = builder.table("rows", key=str, value=str, store=versioned_key_value_store("versions", history_retention=100))
    read(builder).join(rows, lambda left, right: left + right, grace=7, value=str).to("out")
    assert at_sink(builder).delay_ms == 7


def test_delays_add_up_along_the_longest_way() -> None:
    builder = TopologyBuilder()
    windowed = read(builder).group_by_key().windowed_by(tumbling(60, grace=5), emit_strategy=on_window_close())
    finals = windowed.count(store="counts").to_stream().group_by(lambda key, _count: key.key, key=str, name="again")
    sums = finals.windowed_by(tumbling(600, grace=0), emit_strategy=on_window_close()).count(store="sums")
    sums.to_stream(lambda key, _sum: key.key).merge(read(builder, "b").map_values(len)).to("out")
    assert at_sink(builder) == Upstream(frozenset({"a", "b"}), 665, 600)
