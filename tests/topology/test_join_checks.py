"""What a join cannot do is known when the topology is built; a message names the step, both sides and the cure."""

from typing import Any

import pytest

from eddyline.application.topology import Stream, Table, TopologyBuilder, TopologyError, join_windows

WINDOWS = join_windows(before=5, after=5, grace=0)


def stream(builder: TopologyBuilder, topic: str, key: Any = str) -> Stream[Any, Any]:
    return builder.stream(topic, key=key, value=str)


def table(builder: TopologyBuilder, topic: str, key: Any = str) -> Table[Any, Any]:
    return builder.table(topic, key=key, value=str)


def pair(left: Any, right: Any) -> tuple[Any, Any]:
    return left, right


def first(_key: str, value: str) -> str:
    return value[:1]


@pytest.mark.parametrize("side", [stream, table])
def test_key_types_that_differ_are_named(side: Any) -> None:
    builder = TopologyBuilder()
    left, right = side(builder, "left", str), side(builder, "right", int)
    options = {"windows": WINDOWS} if side is stream else {}
    with pytest.raises(TopologyError, match=r"'left.*', whose keys are str, with 'right.*', whose keys are int.*select_key"):
        left.join(right, pair, **options)


def test_a_stream_and_a_table_of_different_key_types_are_named() -> None:
    builder = TopologyBuilder()
    with pytest.raises(TopologyError, match="'left', whose keys are int, with 'right-table', whose keys are str"):
        stream(builder, "left", int).left_join(table(builder, "right"), pair)


def test_a_rekeyed_side_of_an_unknown_key_type_is_named() -> None:
    builder = TopologyBuilder()
    left = stream(builder, "left").select_key(lambda _key, value: len(value))
    with pytest.raises(TopologyError, match=r"key type of step 'left-select-key' is not known.*give key= to the step"):
        left.join(stream(builder, "right", int), pair, windows=WINDOWS)


def test_a_foreign_key_of_another_type_is_named() -> None:
    def owner(value: str) -> int:
        return len(value)

    builder = TopologyBuilder()
    left, right = table(builder, "left"), table(builder, "right")
    with pytest.raises(
        TopologyError, match="foreign key of type int, but the keys of 'right-table' are str; let foreign_key= give"
    ):
        left.join(right, pair, foreign_key=owner)


def test_a_join_of_streams_needs_windows() -> None:
    builder = TopologyBuilder()
    with pytest.raises(TopologyError, match=r"'left' is joined with a stream, which takes windows=join_windows\(before="):
        stream(builder, "left").join(stream(builder, "right"), pair)  # type: ignore[call-overload]


def test_a_global_table_needs_a_chosen_key() -> None:
    builder = TopologyBuilder()
    everywhere = builder.global_table("everywhere", key=str, value=str)
    with pytest.raises(TopologyError, match="joins a global table; choose the key of its rows with key_selector="):
        stream(builder, "left").join(everywhere, pair)  # type: ignore[call-overload]


def test_a_global_table_that_nothing_uses_is_refused() -> None:
    builder = TopologyBuilder()
    stream(builder, "left").to("out")
    builder.global_table("everywhere", key=str, value=str)
    with pytest.raises(TopologyError, match=r"'everywhere-table' is used by no other step.*builder\.table"):
        builder.build()


def test_a_topic_is_no_stream_and_global_table_at_once() -> None:
    builder = TopologyBuilder()
    stream(builder, "both")
    with pytest.raises(TopologyError, match="topic 'both' is read twice in different ways"):
        builder.global_table("both", key=str, value=str)


def test_a_kept_table_needs_types() -> None:
    builder = TopologyBuilder()
    with pytest.raises(
        TopologyError, match="value type of step 'upper-map-values' is not known, but it is kept in store 'upper'"
    ):
        table(builder, "left").map_values(lambda value: value.upper(), store="upper")


def test_the_types_of_a_group_are_needed() -> None:
    builder = TopologyBuilder()
    grouped = table(builder, "left").group_by(lambda key, value: (value, key))
    with pytest.raises(
        TopologyError, match=r"key type that table 'left-store' is grouped by is not known.*give key= to group_by"
    ):
        grouped.count()


def test_the_type_that_a_group_folds_into_is_needed() -> None:
    builder = TopologyBuilder()
    grouped = table(builder, "left").group_by(lambda key, value: (value, key), key=str, value=str)
    with pytest.raises(
        TopologyError, match=r"type that step 'lists-aggregate' folds into is not known.*give value= to aggregate"
    ):
        grouped.aggregate(lambda: ["first"], lambda lines, line: [*lines, line], lambda lines, _line: lines, store="lists")


def test_two_joins_of_the_same_streams_need_names() -> None:
    builder = TopologyBuilder()
    left, right = stream(builder, "left"), stream(builder, "right")
    left.join(right, pair, windows=WINDOWS)
    with pytest.raises(TopologyError, match="two stores would be named 'left-right-join-left-store'"):
        left.join(right, pair, windows=WINDOWS)


@pytest.mark.parametrize(
    ("windows", "message"),
    [
        ({"before": 5, "after": -6, "grace": 0}, "from 5 ms before to -6 ms after ends before it begins"),
        ({"before": 5, "after": 5, "grace": -1}, "grace of a join's window must not be negative, but is -1 ms"),
        ({"before": 5, "after": 5, "grace": 0, "emit_interval": -1}, "emit interval of a join's window must not be negative"),
    ],
)
def test_windows_that_cannot_be_are_refused(windows: dict[str, int], message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        join_windows(**windows)


def test_names_of_topics_come_from_names_and_stores() -> None:
    builder = TopologyBuilder()
    left, right = stream(builder, "left").select_key(first), stream(builder, "right").select_key(first)
    left.outer_join(right, pair, windows=WINDOWS, name="both")
    left.left_join(table(builder, "rows"), pair, name="known")
    left.left_join(table(builder, "others"), pair)
    table(builder, "orders").join(table(builder, "users"), pair, foreign_key=str, name="bought")
    table(builder, "sizes").group_by(lambda key, value: (value, key), key=str, value=str).count(store="counts")
    assert list(builder.build().repartition_topics) == [
        "both-left-repartition",
        "both-right-repartition",
        "known-repartition",
        "left-others-store-left-join-repartition",
        "bought-subscription-registration-topic",
        "bought-subscription-response-topic",
        "counts-repartition",
    ]
