"""Invalid joins are rejected when they are added; the message names the operator, both sides and the fix."""

from typing import Any

import pytest

from eddyline import stream_joined
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
def test_both_sides_must_have_the_same_key_type(side: Any) -> None:
    builder = TopologyBuilder()
    left, right = side(builder, "left", str), side(builder, "right", int)
    options = {"windows": WINDOWS} if side is stream else {}
    with pytest.raises(
        TopologyError,
        match=r"joins 'left.*', whose keys are of type str, with 'right.*', whose keys are of type int, so .*select_key",
    ):
        left.join(right, pair, **options)


def test_a_stream_and_a_table_must_have_the_same_key_type() -> None:
    builder = TopologyBuilder()
    with pytest.raises(
        TopologyError, match="joins 'left', whose keys are of type int, with 'right-table', whose keys are of type str"
    ):
        stream(builder, "left", int).left_join(table(builder, "right"), pair)


def test_a_side_that_is_repartitioned_needs_a_known_key_type() -> None:
    builder = TopologyBuilder()
    left = stream(builder, "left").select_key(lambda _key, value: len(value))
    with pytest.raises(TopologyError, match=r"key type of operator 'left-select-key' is unknown.*pass key= to its operator"):
        left.join(stream(builder, "right", int), pair, windows=WINDOWS)


def test_a_foreign_key_must_have_the_type_of_the_other_tables_keys() -> None:
    def owner(value: str) -> int:
        return len(value)

    builder = TopologyBuilder()
    left, right = table(builder, "left"), table(builder, "right")
    with pytest.raises(
        TopologyError,
        match="foreign key of type int, but joins 'right-table' with keys of type str; pass a foreign_key= function that returns",
    ):
        left.join(right, pair, foreign_key=owner)


def test_a_join_of_streams_needs_a_window() -> None:
    builder = TopologyBuilder()
    with pytest.raises(
        TopologyError, match=r"stream 'left' is joined with stream 'right' without a window; pass windows=join_windows\(before="
    ):
        stream(builder, "left").join(stream(builder, "right"), pair)  # type: ignore[call-overload]


def test_a_join_with_a_global_table_needs_a_key_selector() -> None:
    builder = TopologyBuilder()
    everywhere = builder.global_table("everywhere", key=str, value=str)
    with pytest.raises(TopologyError, match="joins the global table 'everywhere-table' without a key; pass key_selector="):
        stream(builder, "left").join(everywhere, pair)  # type: ignore[call-overload]


def test_a_stream_cannot_be_outer_joined_with_a_table() -> None:
    builder = TopologyBuilder()
    with pytest.raises(TopologyError, match=r"cannot be outer-joined with table 'right-store'; use left_join\(…\) instead"):
        stream(builder, "left").outer_join(table(builder, "right"), pair, windows=WINDOWS)  # type: ignore[call-overload]


def test_a_table_cannot_be_joined_with_a_stream() -> None:
    builder = TopologyBuilder()
    with pytest.raises(TopologyError, match=r"cannot be joined with stream 'right'; make it a table first with \.to_table"):
        table(builder, "left").join(stream(builder, "right"), pair)  # type: ignore[call-overload]


def test_a_table_cannot_be_joined_with_a_global_table() -> None:
    builder = TopologyBuilder()
    everywhere = builder.global_table("everywhere", key=str, value=str)
    with pytest.raises(TopologyError, match=r"cannot be joined with a global table; read its topic with builder\.table"):
        table(builder, "left").join(everywhere, pair)  # type: ignore[call-overload]


def test_a_topic_cannot_be_a_stream_and_a_global_table() -> None:
    builder = TopologyBuilder()
    stream(builder, "both")
    with pytest.raises(
        TopologyError, match="topic 'both' is read twice, first as a stream or table, then as a global table; read it once"
    ):
        builder.global_table("both", key=str, value=str)


def test_a_store_needs_known_types() -> None:
    builder = TopologyBuilder()
    with pytest.raises(TopologyError, match="value type of operator 'upper-map-values' is unknown, but needed for store 'upper'"):
        table(builder, "left").map_values(lambda value: value.upper(), store="upper")


def test_a_grouped_table_needs_known_types() -> None:
    builder = TopologyBuilder()
    grouped = table(builder, "left").group_by(lambda key, value: (value, key))
    with pytest.raises(TopologyError, match=r"key type of the groups of table 'left-store' is unknown.*pass key= to group_by"):
        grouped.count()


def test_an_aggregation_of_groups_needs_a_known_result_type() -> None:
    builder = TopologyBuilder()
    grouped = table(builder, "left").group_by(lambda key, value: (value, key), key=str, value=str)
    with pytest.raises(TopologyError, match=r"result type of operator 'lists-aggregate' is unknown.*pass value= to aggregate"):
        grouped.aggregate(lambda: ["first"], lambda lines, line: [*lines, line], lambda lines, _line: lines, store="lists")


def test_two_joins_of_the_same_streams_need_names() -> None:
    builder = TopologyBuilder()
    left, right = stream(builder, "left"), stream(builder, "right")
    left.join(right, pair, windows=WINDOWS)
    with pytest.raises(
        TopologyError, match="two stores have the name 'left-right-join-left-store'; pass another store= or name="
    ):
        left.join(right, pair, windows=WINDOWS)


@pytest.mark.parametrize(
    ("windows", "message"),
    [
        ({"before": 5, "after": -6, "grace": 0}, "before=5 ms and after=-6 ms ends before it starts; pass values whose sum is"),
        ({"before": 5, "after": 5, "grace": -1}, "grace period of a join window must be 0 ms or more, but is -1 ms"),
        (
            {"before": 5, "after": 5, "grace": 0, "emit_interval": -1},
            "emit interval of a join window must be 0 ms or more, but is -1 ms",
        ),
    ],
)
def test_invalid_join_windows_are_rejected(windows: dict[str, Any], message: str) -> None:
    with pytest.raises(TopologyError, match=message):
        join_windows(**windows)


def test_repartition_topics_are_named_after_joins_and_stores() -> None:
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


@pytest.mark.parametrize(
    ("option", "value", "hint"),
    [
        ("windows", join_windows(before=0, after=1, grace=0), "is for joins of two streams; leave it out"),
        ("joined", stream_joined(store_name="paid"), "is for joins of two streams; leave it out"),
        ("key_selector", lambda key, _value: key, "is for global tables; change the keys first with select_key"),
    ],
)
def test_an_option_of_another_kind_of_join_is_refused(option: str, value: object, hint: str) -> None:
    builder = TopologyBuilder()
    orders = builder.stream("orders", key=str, value=int)
    prices = builder.table("prices", key=str, value=int)
    options: Any = {option: value}
    with pytest.raises(TopologyError, match=f"joined with table 'prices-store', but {option}= {hint}"):
        orders.join(prices, int.__add__, **options)
