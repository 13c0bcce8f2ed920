"""Names of steps, stores and repartition topics: given or derived, never from a position."""

import pytest

from eddyline.application.topology import TopologyBuilder, TopologyError, tumbling


def words(builder: TopologyBuilder, *, with_extra_step: bool) -> None:
    lines = builder.stream("lines", key=str, value=str)
    if with_extra_step:
        lines = lines.filter(lambda _key, line: bool(line)).peek(lambda _key, _line: None)
    lines.group_by(lambda _key, word: word, key=str).count(store="counts").to_stream().to("word-counts")


def test_inserting_a_step_leaves_stores_and_repartition_topics_as_they_are() -> None:
    names = []
    for with_extra_step in (False, True):
        builder = TopologyBuilder()
        words(builder, with_extra_step=with_extra_step)
        topology = builder.build()
        names.append((list(topology.stores), list(topology.repartition_topics)))
    assert names[0] == names[1] == (["counts"], ["counts-repartition"])


def test_a_repartition_topic_is_named_by_the_group_before_the_store() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).group_by(lambda _key, word: word, key=str, name="by-word").count(store="counts")
    assert list(builder.build().repartition_topics) == ["by-word-repartition"]


def test_a_key_that_stays_needs_no_repartition() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).filter(lambda _key, _line: True).group_by_key().count()
    topology = builder.build()
    assert not topology.repartition_topics
    assert [sub.index for sub in topology.sub_topologies] == [0]


def test_equal_verbs_on_one_stream_are_numbered() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.filter(lambda _key, _line: True).filter(lambda _key, _line: True)
    assert [node.name for node in builder.build().nodes] == ["lines", "lines-filter", "lines-filter-2"]


def test_two_steps_of_one_name_are_refused_with_the_cure() -> None:
    lines = TopologyBuilder().stream("lines", key=str, value=str)
    lines.filter(lambda _key, _line: True, name="keep")
    with pytest.raises(TopologyError, match="two steps would be named 'keep'; give one of them another name with name="):
        lines.filter_not(lambda _key, _line: True, name="keep")


def test_two_folds_without_a_name_are_refused_rather_than_numbered() -> None:
    grouped = TopologyBuilder().stream("lines", key=str, value=str).group_by_key()
    grouped.count()
    with pytest.raises(TopologyError, match="step 'lines-count' would fold into the store 'lines-count', which another step has"):
        grouped.count()


def test_one_group_that_folds_twice_repartitions_once() -> None:
    builder = TopologyBuilder()
    grouped = builder.stream("lines", key=str, value=str).group_by(lambda _key, word: word, key=str, name="by-word")
    grouped.count(store="counts")
    grouped.windowed_by(tumbling(1_000, grace=0)).count(store="counts-by-second")
    assert list(builder.build().repartition_topics) == ["by-word-repartition"]


@pytest.mark.parametrize(("name", "reason"), [("a b", "' ' is not allowed"), ("x" * 250, "it has 250 characters")])
def test_a_name_that_could_not_be_a_topic_is_refused(name: str, reason: str) -> None:
    lines = TopologyBuilder().stream("lines", key=str, value=str)
    with pytest.raises(TopologyError, match=reason):
        lines.group_by_key().count(store="counts", name=name)
