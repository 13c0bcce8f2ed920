"""Names of operators, stores and repartition topics are given or derived, and never depend on positions."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from eddyline import aggregations, session, versioned_key_value_store
from eddyline.application.topology import Topology, TopologyBuilder, TopologyError, tumbling
from eddyline.testing import MemoryEngine


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


def first_letter(_key: str, line: str) -> str:
    return line[0]


def by_letter(_key: str, line: str) -> tuple[str, str]:
    return line[0], line


HOUR = tumbling(3_600_000, grace=0)
LATEST: Any = aggregations.max(str.upper, value=str)
AVERAGE: Any = aggregations.avg(len)

SAME: dict[str, Callable[[Any], Any]] = {
    "count": lambda lines: lines.group_by_key().count(),
    "windowed count": lambda lines: lines.group_by_key().windowed_by(HOUR).count(),
    "sessions": lambda lines: lines.group_by_key().windowed_by(session(1_000, grace=0)).reduce(max),
    "reduce": lambda lines: lines.group_by_key().reduce(max),
    "aggregate": lambda lines: lines.group_by_key().aggregate(str, max),
    "ready-made": lambda lines: lines.group_by_key().aggregate(LATEST),
    "ready-made with a result": lambda lines: lines.group_by_key().aggregate(AVERAGE),
    "own store": lambda lines: lines.group_by_key().count(store="own"),
    "versions": lambda lines: lines.group_by_key().count(store=versioned_key_value_store("own", history_retention=10)),
    "to_table": lambda lines: lines.to_table(),
    "rows": lambda lines: lines.to_table().group_by(by_letter).count(),
    "named rows": lambda lines: lines.to_table().group_by(by_letter, name="letters").reduce(max, min),
}


@pytest.mark.parametrize("kind", SAME)
def test_the_same_aggregation_of_the_same_records_is_the_same_table(kind: str) -> None:
    once, twice = TopologyBuilder(), TopologyBuilder()
    SAME[kind](once.stream("lines", key=str, value=str))
    lines = twice.stream("lines", key=str, value=str)
    assert SAME[kind](lines).store == SAME[kind](lines).store
    expected, built = once.build(), twice.build()
    assert len(built.stores) == len(expected.stores)
    assert _stateful(built) == _stateful(expected)


def _stateful(topology: Topology) -> list[tuple[str, Sequence[str]]]:
    return [(node.name, node.stores) for node in topology.nodes if node.stores]


def test_the_same_aggregation_of_a_repartitioned_stream_is_the_same_table() -> None:
    builder = TopologyBuilder()
    letters = builder.stream("lines", key=str, value=str).select_key(first_letter)
    for _ in range(2):
        letters.group_by_key().count().to_stream().to("counts")
        letters.to_table().to_stream().to("letters")
    built = builder.build()
    assert list(built.stores) == ["lines-count", "lines-table-store"]
    assert list(built.repartition_topics) == ["lines-count-repartition", "lines-table-store-repartition"]
    engine = MemoryEngine(built)
    engine.pipe("lines", "k", "abc", 0)
    assert [(record.key, record.value) for record in engine.outputs("counts")] == [("a", 1)] * 2
    assert [(record.key, record.value) for record in engine.outputs("letters")] == [("a", "abc")] * 2


def different_rekeyed(lines: Any) -> None:
    lines.select_key(first_letter).group_by_key().count()


DIFFERENT: dict[str, tuple[Callable[[Any], Any], str]] = {
    "windows": (lambda lines: lines.group_by_key().windowed_by(HOUR).count(), 'count(…, store="lines-count-2")'),
    "caching": (lambda lines: lines.group_by_key().count(caching=True), 'count(…, store="lines-count-2")'),
    "keys": (different_rekeyed, 'count(…, store="lines-count-2")'),
    "name": (lambda lines: lines.group_by_key().count(name="again"), 'count(…, store="lines-count-2")'),
    "reducer": (lambda lines: lines.group_by_key().reduce(min), 'reduce(…, store="lines-reduce-2")'),
    "cogroup": (lambda lines: lines.group_by_key().cogroup(max).aggregate(str), 'aggregate(…, store="lines-cogroup-2")'),
    "rekeyed table": (lambda lines: lines.select_key(first_letter).to_table(), 'to_table(…, store="lines-table-store-2")'),
    "rows": (lambda lines: lines.to_table().group_by(first_letter, key=str, value=str).count(), "lines-table-store-count-2"),
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_another_aggregation_in_the_same_default_store_gets_an_error_with_the_store_to_name(kind: str) -> None:
    lines = TopologyBuilder().stream("lines", key=str, value=str)
    lines.group_by_key().count()
    lines.group_by_key().reduce(max)
    lines.group_by_key().cogroup(max).aggregate(str)
    lines.to_table().group_by(by_letter).count()
    define, fix = DIFFERENT[kind]
    with pytest.raises(TopologyError, match=r"cannot use store '.*', in which operator '.*' keeps another") as error:
        define(lines)
    assert fix in str(error.value)


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
