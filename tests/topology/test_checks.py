"""Invalid topologies are rejected when they are built; the message names the operator, the valid choices and the fix."""

from typing import Any

import pytest

from eddyline.application.topology import TopologyBuilder, TopologyError, hopping, session, tumbling, wall_clock_time
from eddyline.application.topology.processor import FixedKeyProcessor, Record


class Forwarding(FixedKeyProcessor[str, str, str]):
    """Forwards every record unchanged."""

    def process(self, record: Record[str, str]) -> None:
        """Forward the record."""
        self.context.forward(record)


def lines() -> Any:
    return TopologyBuilder().stream("lines", key=str, value=str)


def test_a_topology_without_a_source_is_rejected() -> None:
    with pytest.raises(TopologyError, match=r"the topology has no source; start it with builder\.stream"):
        TopologyBuilder().build()


def test_a_repartition_needs_a_known_key_type() -> None:
    with pytest.raises(
        TopologyError,
        match=r"key type of operator 'lines-select-key' is unknown, but needed to repartition it; .*pass key= to its operator",
    ):
        lines().select_key(lambda _key, line: line).group_by_key().count()


def test_a_repartition_needs_a_known_value_type() -> None:
    with pytest.raises(
        TopologyError,
        match=r"value type of operator 'lines-map-values' is unknown, but needed to repartition it.*pass value= to its operator",
    ):
        lines().map_values(lambda line: line.upper()).repartition(name="upper")


def test_types_are_inferred_from_annotated_functions() -> None:
    def length(_key: str, line: str) -> int:
        return len(line)

    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by(length, name="by-length").count(store="lengths")
    assert builder.build().stores["lengths"].key_type is int


def test_an_aggregation_needs_a_known_result_type() -> None:
    with pytest.raises(TopologyError, match=r"result type of operator 'sizes' is unknown;.*pass value= to aggregate\(…\)"):
        lines().group_by_key().aggregate(lambda: 0, lambda total, line: total + len(line), store="sizes")


def test_a_reduction_needs_a_known_value_type() -> None:
    with pytest.raises(TopologyError, match="value type of operator 'lines-map-values' is unknown, but needed to aggregate it"):
        lines().map_values(lambda line: line.upper()).group_by_key().reduce(max)


def test_reading_a_topic_twice_with_different_types_is_rejected() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str)
    with pytest.raises(
        TopologyError, match="topic 'lines' is read twice, first with value=str, then with value=bytes; read it once"
    ):
        builder.stream("lines", key=str, value=bytes)


def test_reading_a_topic_twice_with_different_timestamps_is_rejected() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str)
    with pytest.raises(TopologyError, match="first with timestamp=None, then with timestamp=wall_clock_time; read it once"):
        builder.stream("lines", key=str, value=str, timestamp=wall_clock_time)


def test_reading_a_topic_twice_with_the_same_options_adds_one_source() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).to("one")
    builder.stream("lines", key=str, value=str).to("two")
    assert [topic.name for topic in builder.build().source_topics] == ["lines"]


def test_a_merge_without_other_streams_is_rejected() -> None:
    with pytest.raises(TopologyError, match="operator 'lines-merge' merges a stream with nothing; pass one or more"):
        lines().merge()


def test_a_split_without_branches_is_rejected() -> None:
    with pytest.raises(TopologyError, match=r"split 'kinds' has no branches; add one with \.branch\(predicate, name=…\)"):
        lines().split(name="kinds").no_default_branch()


def test_two_branches_of_the_same_name_are_rejected() -> None:
    split = lines().split(name="kinds").branch(lambda _key, _line: True, name="long")
    with pytest.raises(TopologyError, match="split 'kinds' has two branches named 'long'"):
        split.branch(lambda _key, _line: True, name="long")


def test_a_repartition_topic_without_partitions_is_rejected() -> None:
    with pytest.raises(TopologyError, match="repartition 'none' must have 1 or more partitions, but has partitions=0"):
        lines().repartition(name="none", partitions=0)


def test_a_window_without_a_size_is_rejected() -> None:
    with pytest.raises(TopologyError, match="size of a tumbling window must be 1 ms or more, but is 0 ms"):
        tumbling(0, grace=0)


def test_a_negative_grace_period_is_rejected() -> None:
    with pytest.raises(TopologyError, match="grace period of a hopping window must be 0 ms or more, but is -1 ms"):
        hopping(10, advance=5, grace=-1)


def test_an_advance_greater_than_the_window_size_is_rejected() -> None:
    with pytest.raises(
        TopologyError,
        match=r"advance of a hopping window is 11 ms, greater than its size of 10 ms.*pass an advance= of 1 to 10 ms",
    ):
        hopping(10, advance=11, grace=0)


def test_a_retention_shorter_than_size_and_grace_period_is_rejected() -> None:
    with pytest.raises(TopologyError, match="would drop windows of 'lines' that can still change; pass retention_ms=15 or more"):
        lines().group_by_key().windowed_by(tumbling(10, grace=5), retention_ms=14)


def test_an_unknown_store_is_rejected_with_a_list_of_the_stores() -> None:
    builder = TopologyBuilder()
    builder.table("users", key=str, value=str, store="users-store")
    stream = builder.stream("lines", key=str, value=str)
    with pytest.raises(
        TopologyError, match="'lines-process-values' uses the unknown store 'usres'; stores added so far: users-store; add it"
    ):
        stream.process_values(Forwarding, stores=["usres"])


def test_an_unknown_parent_is_rejected_with_a_list_of_the_operators() -> None:
    builder = TopologyBuilder()
    builder.add_source("in", "lines", key=str, value=str)
    with pytest.raises(TopologyError, match="operator 'out' has the unknown parent 'inn'; operators added so far: in"):
        builder.add_sink("out", "words", parents=["inn"])


def test_a_sink_without_parents_is_rejected() -> None:
    builder = TopologyBuilder()
    with pytest.raises(TopologyError, match="operator 'out' has no parents; pass the name of one or more operators in parents="):
        builder.add_sink("out", "words", parents=[])


def test_two_stores_of_the_same_name_are_rejected() -> None:
    builder = TopologyBuilder()
    builder.table("users", key=str, value=str, store="kept")
    with pytest.raises(TopologyError, match="two stores have the name 'kept'; pass another store= or name= to one"):
        builder.table("groups", key=str, value=str, store="kept")


def test_a_topic_that_is_read_twice_as_a_table_is_one_table_unless_it_has_another_store() -> None:
    builder = TopologyBuilder()
    first, second = (builder.table("rows", key=str, value=str) for _ in range(2))
    third = builder.table("rows", key=str, value=str, store="more")
    assert (first.store, second.store, third.store) == ("rows-store", "rows-store", "more")
    assert [node.name for node in builder.build().nodes] == ["rows", "rows-table", "more-table"]
    with pytest.raises(TopologyError, match="topic 'rows' is read twice"):
        builder.table("rows", key=str, value=int)


def test_the_functions_of_a_session_aggregation_may_be_given_by_position() -> None:
    sessions = lines().group_by_key().windowed_by(session(1, grace=0))
    sessions.aggregate(int, lambda total, line: total + len(line), lambda one, other: one + other, store="sizes")
    grouped = lines().group_by_key().cogroup(lambda total, line: total + len(line)).windowed_by(session(1, grace=0))
    grouped.aggregate(int, lambda one, other: one + other, store="sizes")


def test_nothing_is_added_to_a_topology_that_was_built() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.to("copies")
    built = builder.build()
    with pytest.raises(TopologyError, match=r"operator 'lines-map-values' is added after build\(\).*; add it before"):
        lines.map_values(str.upper)
    with pytest.raises(TopologyError, match=r"operator 'more' is added after build\(\)"):
        builder.stream("more", key=str, value=str)
    with pytest.raises(TopologyError, match=r"operator 'seen-count' is added after build\(\)"):
        lines.group_by_key().count(store="seen")
    assert builder.build() == built


def test_merged_streams_have_keys_of_the_same_type() -> None:
    builder = TopologyBuilder()
    texts, numbers = builder.stream("texts", key=str, value=str), builder.stream("numbers", key=int, value=str)
    with pytest.raises(TopologyError, match=r"with 'numbers', whose keys are of type int, not str; .*select_key"):
        texts.merge(numbers)  # type: ignore[arg-type] # so is it for mypy


def test_streams_of_different_values_merge_to_a_stream_of_their_union() -> None:
    builder = TopologyBuilder()
    numbers: Any = builder.stream("numbers", key=str, value=int)
    builder.stream("texts", key=str, value=str).merge(numbers, name="both").to("all")
    (node,) = (found for found in builder.build().nodes if found.name == "both")
    assert node.value_type == str | int
