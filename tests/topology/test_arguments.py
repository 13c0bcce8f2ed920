"""Arguments of other types than operators take are errors that name the argument and the fix, not errors of Python."""

import re
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from eddyline import TopologyBuilder, TopologyError, join_windows, key_value_store, tumbling

Given: TypeAlias = Any
"""A builder, a stream or a table, unchecked: the mistakes that are tested are mistakes of types, too."""

WITHIN = join_windows(before=1, after=1, grace=0)


def clicks(builder: Given) -> Given:
    return builder.stream("clicks", key=str, value=str)


def users(builder: Given) -> Given:
    return builder.table("users", key=str, value=str)


def joiner(left: str, right: str) -> str:
    return left + right


STREAM = r"which is no stream or table; pass what builder\.stream\(…, key=…, value=…\) or builder\.table\(…\) returns$"
GROUPED = r"pass what group_by\(…\) or group_by_key\(…\) of a stream returns$"
WINDOWS = r"; pass what tumbling\(…\), hopping\(…\), sliding\(…\), session\(…\), calendar_days\(…\) or unlimited\(…\) returns$"

WRONG: dict[str, tuple[Callable[[Given], Given], str]] = {
    "merge of a number": (lambda b: clicks(b).merge(3), rf"^operator 'clicks-merge' merges stream 'clicks' with 3, {STREAM}"),
    "merge of a table": (
        lambda b: clicks(b).merge(users(b)),
        r"merges stream 'clicks' with table 'users-store'; make it a stream first with \.to_stream\(\)$",
    ),
    "merge of a list": (lambda b: clicks(b).merge([clicks(b)]), rf"merges stream 'clicks' with a list, {STREAM}"),
    "join with a topic": (
        lambda b: clicks(b).join("users", joiner),
        r"^stream 'clicks' is joined with 'users', which is no stream or table; pass what builder\.stream\('users', key=…",
    ),
    "left join with nothing": (lambda b: clicks(b).left_join(None, joiner), rf"^stream 'clicks' is joined with None, {STREAM}"),
    "outer join with a grouped stream": (
        lambda b: clicks(b).outer_join(clicks(b).group_by_key(), joiner, windows=WITHIN),
        rf"is joined with a GroupedStream, {STREAM}",
    ),
    "join with a class": (lambda b: clicks(b).join(TopologyBuilder, joiner), rf"joined with the class TopologyBuilder, {STREAM}"),
    "join of streams with a number as window": (
        lambda b: clicks(b).join(b.stream("views", key=str, value=str), joiner, windows=5),
        r"^windows= of the join of stream 'clicks' with stream 'views' is 5; pass what join_windows\(…\) returns$",
    ),
    "join of streams with a store as joined": (
        lambda b: clicks(b).join(b.stream("views", key=str, value=str), joiner, windows=WITHIN, joined="stores"),
        r"^joined= of the join of stream 'clicks' with stream 'views' is 'stores'; pass what stream_joined\(…\) returns$",
    ),
    "join of a table with a topic": (
        lambda b: users(b).join("orders", joiner),
        r"^table 'users-store' is joined with 'orders', which is no stream or table; pass what builder\.stream\('orders'",
    ),
    "left join of a table": (lambda b: users(b).left_join(7, joiner), rf"^table 'users-store' is joined with 7, {STREAM}"),
    "outer join of a table": (lambda b: users(b).outer_join(b, joiner), rf"is joined with a _?TopologyBuilder, {STREAM}"),
    "foreign-key join of a table": (
        lambda b: users(b).join({}, joiner, foreign_key=str),
        rf"^table 'users-store' is joined with a dict, {STREAM}",
    ),
    "cogroup of a stream": (
        lambda b: clicks(b).group_by_key().cogroup(len).cogroup(clicks(b), len),
        rf"^grouped= of cogroup of stream 'clicks' is a Stream; {GROUPED}",
    ),
    "windowed_by a number": (
        lambda b: clicks(b).group_by_key().windowed_by(60_000),
        rf"^windows= of windowed_by of stream 'clicks' is 60000{WINDOWS}",
    ),
    "windowed_by of cogrouped streams": (
        lambda b: clicks(b).group_by_key().cogroup(lambda total, _value: total).windowed_by("1m"),
        rf"^windows= of windowed_by of stream 'clicks' is '1m'{WINDOWS}",
    ),
    "windowed_by the windows of a join": (
        lambda b: clicks(b).group_by_key().windowed_by(WITHIN),
        rf"^windows= of windowed_by of stream 'clicks' is a JoinWindows{WINDOWS}",
    ),
    "emit strategy": (
        lambda b: clicks(b).group_by_key().windowed_by(tumbling(1, grace=0), emit_strategy="close"),
        r"^emit_strategy= of windowed_by of stream 'clicks' is 'close'; pass what on_window_close\(…\) returns$",
    ),
    "suppress": (
        lambda b: users(b).suppress(1_000),
        r"^until= of suppress of table 'users-store' is 1000; pass what until_window_closes\(…\) or until_time_limit\(…\)",
    ),
    "topic of a stream": (
        lambda b: b.stream(3, key=str, value=str),
        r"^the topic of a stream is 3; pass its name, or a pattern such as re\.compile\('logs-\.\*'\)$",
    ),
    "topic of a table": (
        lambda b: b.table(3, key=str, value=str),
        r"^the topic of a table or a global store is 3; pass its name$",
    ),
    "topic of a global table": (
        lambda b: b.global_table(None, key=str, value=str),
        r"^the topic of a table or a global store is None; pass its name$",
    ),
    "topic of a global store": (
        lambda b: b.add_global_store(key_value_store("counts", key=str, value=int), b"t", list, key=str, value=str),
        r"^the topic of a table or a global store is b't'; pass its name$",
    ),
    "state store": (
        lambda b: b.add_state_store("counts"),
        r"^the state store to add is 'counts'; pass what key_value_store\(…\) or another one returns$",
    ),
    "store of a table": (
        lambda b: clicks(b).group_by_key().count(store=3),
        r"^store= of a table is 3; pass the name of a store, or versioned_key_value_store\(…\)$",
    ),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_an_argument_of_another_type_is_an_error_with_the_fix(mistake: str) -> None:
    define, message = WRONG[mistake]
    with pytest.raises(TopologyError, match=message):
        define(TopologyBuilder())


OTHERS: dict[str, Callable[[Given, Given], Given]] = {
    "merge": lambda b, other: clicks(b).merge(clicks(other)),
    "join of streams": lambda b, other: clicks(b).join(clicks(other), joiner, windows=WITHIN),
    "join with a table": lambda b, other: clicks(b).join(users(other), joiner),
    "join with a global table": lambda b, other: clicks(b).join(
        other.global_table("everywhere", key=str, value=str), joiner, key_selector=lambda key, _value: key
    ),
    "join of tables": lambda b, other: users(b).join(users(other), joiner),
    "cogroup": lambda b, other: clicks(b).group_by_key().cogroup(joiner).cogroup(clicks(other).group_by_key(), joiner),
}


@pytest.mark.parametrize("operator", OTHERS)
def test_streams_and_tables_of_another_builder_are_refused(operator: str) -> None:
    with pytest.raises(TopologyError, match=r"of another TopologyBuilder; read its topic with the same builder$"):
        OTHERS[operator](TopologyBuilder(), TopologyBuilder())


def test_arguments_of_the_right_types_are_accepted() -> None:
    builder = TopologyBuilder()
    builder.add_state_store(key_value_store("counts", key=str, value=int))
    stream: Given = clicks(builder)
    stream.merge(builder.stream("views", key=str, value=str)).join(users(builder), joiner, value=str).to("out")
    assert re.search("views", builder.build().describe())
