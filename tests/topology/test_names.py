"""Names of operators, stores and repartition topics are given or derived, and never depend on positions."""

import re

import pytest

from eddyline.application.topology import TopologyBuilder, TopologyError, tumbling


def count_words(builder: TopologyBuilder, *, with_extra_operators: bool) -> None:
    lines = builder.stream("lines", key=str, value=str)
    if with_extra_operators:
        lines = lines.filter(lambda _key, line: bool(line)).peek(lambda _key, _line: None)
    lines.group_by(lambda _key, word: word, key=str).count(store="counts").to_stream().to("word-counts")


def test_adding_stateless_operators_does_not_rename_stores_and_repartition_topics() -> None:
    names = []
    for with_extra_operators in (False, True):
        builder = TopologyBuilder()
        count_words(builder, with_extra_operators=with_extra_operators)
        topology = builder.build()
        names.append((list(topology.stores), list(topology.repartition_topics)))
    assert names[0] == names[1] == (["counts"], ["counts-repartition"])


def test_a_repartition_topic_is_named_after_the_group_rather_than_the_store() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by(lambda _key, word: word, key=str, name="by-word").count(store="counts")
    assert list(builder.build().repartition_topics) == ["by-word-repartition"]


def test_an_unchanged_key_needs_no_repartition() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).filter(lambda _key, _line: True).group_by_key().count()
    topology = builder.build()
    assert not topology.repartition_topics
    assert [sub.index for sub in topology.sub_topologies] == [0]


def test_equal_stateless_operators_of_a_stream_are_numbered() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.filter(lambda _key, _line: True).filter(lambda _key, _line: True)
    assert [node.name for node in builder.build().nodes] == ["lines", "lines-filter", "lines-filter-2"]


def test_two_operators_of_the_same_name_are_rejected() -> None:
    lines = TopologyBuilder().stream("lines", key=str, value=str)
    lines.filter(lambda _key, _line: True, name="keep")
    with pytest.raises(TopologyError, match="two operators have the name 'keep'; pass another name= to one of them"):
        lines.filter_not(lambda _key, _line: True, name="keep")


def test_two_aggregations_without_a_name_are_rejected_rather_than_numbered() -> None:
    grouped = TopologyBuilder().stream("lines", key=str, value=str).group_by_key()
    grouped.count()
    with pytest.raises(
        TopologyError, match="operator 'lines-count' cannot use store 'lines-count', which another operator uses; pass another"
    ):
        grouped.count()


def test_two_aggregations_of_a_group_share_its_repartition_topic() -> None:
    builder = TopologyBuilder()
    grouped = builder.stream("lines", key=str, value=str).group_by(lambda _key, word: word, key=str, name="by-word")
    grouped.count(store="counts")
    grouped.windowed_by(tumbling(1_000, grace=0)).count(store="counts-by-second")
    assert list(builder.build().repartition_topics) == ["by-word-repartition"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a b", "it contains ' '"),
        ("x" * 250, "it has 250 characters"),
        (".", "it is the name of a folder"),
        ("..", "it is the name of a folder"),
    ],
)
def test_a_name_that_is_no_valid_topic_name_is_rejected(name: str, reason: str) -> None:
    lines = TopologyBuilder().stream("lines", key=str, value=str)
    with pytest.raises(TopologyError, match=f"invalid operator name '{re.escape(name)}': {reason}; use 1 to 249 ASCII letters"):
        lines.group_by_key().count(store="counts", name=name)


def test_a_name_of_249_characters_is_accepted() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by_key().count(store="counts", name="x" * 249)
    assert "x" * 249 in builder.build().by_name


def test_a_topic_that_is_read_again_has_the_name_of_its_first_source_unless_another_is_given() -> None:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=str, name="lines").to("a")
    builder.stream("in", key=str, value=str).to("b")
    assert [node.name for node in builder.build().nodes if node.name == "in"] == []
    with pytest.raises(TopologyError, match="topic 'in' is read twice, first with name='lines', then with name='others'"):
        builder.stream("in", key=str, value=str, name="others")


def test_the_copy_of_a_table_that_is_joined_with_itself_is_named_after_the_join() -> None:
    builder = TopologyBuilder()
    table = builder.table("in", key=str, value=str)
    table.join(table, lambda one, other: one + other, foreign_key=lambda value: value, value=str, name="by-value")
    assert "by-value-right-repartition" in builder.build().repartition_topics


def test_a_join_with_a_repartition_topic_is_never_numbered() -> None:
    builder = TopologyBuilder()
    table = builder.table("table", key=str, value=str)
    stream = builder.stream("in", key=str, value=str)
    stream.join(table, lambda one, other: one + other, value=str).to("a")
    moved = stream.select_key(lambda _key, value: value, key=str)
    with pytest.raises(TopologyError, match="two operators have the name 'in-table-store-join'; pass another name="):
        moved.join(table, lambda one, other: one + other, value=str)
