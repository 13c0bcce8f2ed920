"""What can be known when a topology is built is checked then; a message names the step, the choices and the cure."""

from typing import Any

import pytest

from eddyline.application.topology import TopologyBuilder, TopologyError, hopping, tumbling
from eddyline.application.topology.processor import FixedKeyProcessor, Record


class Passing(FixedKeyProcessor[str, str, str]):
    """Forwards what it is given."""

    def process(self, record: Record[str, str]) -> None:
        """Forwards the record."""
        self.context.forward(record)


def lines() -> Any:
    return TopologyBuilder().stream("lines", key=str, value=str)


def test_a_topology_that_reads_nothing_is_refused() -> None:
    with pytest.raises(TopologyError, match=r"reads nothing; begin it with builder\.stream"):
        TopologyBuilder().build()


def test_an_unknown_key_type_at_a_repartition_is_named_with_the_cure() -> None:
    with pytest.raises(TopologyError, match=r"key type of step 'lines-select-key' is not known.*give key= to the step"):
        lines().select_key(lambda _key, line: line).group_by_key().count()


def test_an_unknown_value_type_at_a_repartition_is_named_with_the_cure() -> None:
    with pytest.raises(TopologyError, match=r"value type of step 'lines-map-values' is not known.*give value= to the step"):
        lines().map_values(lambda line: line.upper()).repartition(name="upper")


def test_an_annotated_function_tells_its_type() -> None:
    def length(_key: str, line: str) -> int:
        return len(line)

    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by(length, name="by-length").count(store="lengths")
    assert builder.build().stores["lengths"].key_type is int


def test_an_unknown_aggregate_type_is_named_with_the_cure() -> None:
    with pytest.raises(TopologyError, match=r"the type that step 'sizes' folds into is not known.*give value= to aggregate"):
        lines().group_by_key().aggregate(lambda: 0, lambda total, line: total + len(line), store="sizes")


def test_one_topic_read_in_two_ways_is_refused() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str)
    with pytest.raises(TopologyError, match="topic 'lines' is read twice in different ways"):
        builder.stream("lines", key=str, value=bytes)


def test_one_topic_read_twice_alike_is_one_source() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).to("one")
    builder.stream("lines", key=str, value=str).to("two")
    assert [topic.name for topic in builder.build().source_topics] == ["lines"]


def test_a_merge_of_nothing_is_refused() -> None:
    with pytest.raises(TopologyError, match="step 'lines-merge' merges nothing"):
        lines().merge()


def test_a_split_without_branches_is_refused() -> None:
    with pytest.raises(TopologyError, match="split 'kinds' has no branch"):
        lines().split(name="kinds").no_default_branch()


def test_two_branches_of_one_name_are_refused() -> None:
    split = lines().split(name="kinds").branch(lambda _key, _line: True, name="long")
    with pytest.raises(TopologyError, match="split 'kinds' has two branches named 'long'"):
        split.branch(lambda _key, _line: True, name="long")


def test_a_repartition_into_no_partition_is_refused() -> None:
    with pytest.raises(TopologyError, match="asks for 0 partitions; ask for at least 1"):
        lines().repartition(name="none", partitions=0)


def test_a_window_without_size_is_refused() -> None:
    with pytest.raises(TopologyError, match="size of a tumbling window must be at least 1 ms, but is 0 ms"):
        tumbling(0, grace=0)


def test_a_negative_grace_is_refused() -> None:
    with pytest.raises(TopologyError, match="grace of a hopping window must not be negative, but is -1 ms"):
        hopping(10, advance=5, grace=-1)


def test_an_advance_longer_than_the_window_is_refused() -> None:
    with pytest.raises(TopologyError, match="would leave records out; choose an advance of 1 to 10 ms"):
        hopping(10, advance=11, grace=0)


def test_a_retention_shorter_than_size_and_grace_is_refused() -> None:
    with pytest.raises(TopologyError, match="shorter than size and grace of the window; keep at least 15 ms"):
        lines().group_by_key().windowed_by(tumbling(10, grace=5), retention_ms=14)


def test_an_unknown_store_is_named_with_those_that_there_are() -> None:
    builder = TopologyBuilder()
    builder.table("users", key=str, value=str, store="users-store")
    stream = builder.stream("lines", key=str, value=str)
    with pytest.raises(TopologyError, match="uses store 'usres', which is unknown; the stores said so far are: users-store"):
        stream.process_values(Passing, stores=["usres"])


def test_an_unknown_parent_is_named_with_the_steps_that_there_are() -> None:
    builder = TopologyBuilder()
    builder.add_source("in", "lines", key=str, value=str)
    with pytest.raises(TopologyError, match="step 'out' hears 'inn', which is unknown; the steps said so far are: in"):
        builder.add_sink("out", "words", parents=["inn"])


def test_a_step_that_hears_nothing_is_refused() -> None:
    builder = TopologyBuilder()
    with pytest.raises(TopologyError, match="step 'out' hears nothing; give it at least one parent"):
        builder.add_sink("out", "words", parents=[])


def test_two_stores_of_one_name_are_refused() -> None:
    builder = TopologyBuilder()
    builder.table("users", key=str, value=str, store="kept")
    with pytest.raises(TopologyError, match="two stores would be named 'kept'"):
        builder.table("groups", key=str, value=str, store="kept")
