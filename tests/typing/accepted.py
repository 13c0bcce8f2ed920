"""Chains that the type checker must accept, with the types that it must know at every step."""

from typing import assert_type

from application.topology import (
    Stream,
    Table,
    TopologyBuilder,
    Windowed,
    calendar_days,
    hopping,
    on_window_close,
    session,
    sliding,
    unlimited,
    until_time_limit,
    until_window_closes,
)


def length(_key: str, line: str) -> int:
    """The line's length."""
    return len(line)


def chains(builder: TopologyBuilder) -> None:
    """Each verb gives the key and value types that follow from its function."""
    lines = builder.stream("lines", key=str, value=str)
    assert_type(lines, Stream[str, str])
    assert_type(lines.filter(lambda key, line: key < line), Stream[str, str])
    assert_type(lines.map_values(len), Stream[str, int])
    assert_type(lines.map_values(length, with_key=True), Stream[str, int])
    assert_type(lines.flat_map_values(str.split), Stream[str, str])
    assert_type(lines.map(lambda key, line: (len(line), key)), Stream[int, str])
    assert_type(lines.select_key(length), Stream[int, str])
    assert_type(lines.merge(lines), Stream[str, str])

    counted = lines.group_by(length).count()
    assert_type(counted, Table[int, int])
    assert_type(counted.to_stream(), Stream[int, int])
    hopped = lines.group_by_key().windowed_by(hopping(5_000, advance=1_000, grace=0))
    assert_type(hopped.count(), Table[Windowed[str], int])
    assert_type(hopped.aggregate(int, lambda total, line: total + len(line)), Table[Windowed[str], int])
    assert_type(hopped.aggregate(int, lambda key, total, line: total + len(key + line), with_key=True), Table[Windowed[str], int])
    assert_type(hopped.reduce(max).to_stream(), Stream[Windowed[str], str])
    assert_type(hopped.count().suppress(until_window_closes()), Table[Windowed[str], int])
    assert_type(counted.suppress(until_time_limit(5_000)), Table[int, int])

    grouped = lines.group_by(length)
    assert_type(grouped.windowed_by(sliding(5_000, grace=0)).count(), Table[Windowed[int], int])
    assert_type(grouped.windowed_by(calendar_days("UTC", grace=0)).reduce(max), Table[Windowed[int], str])
    assert_type(grouped.windowed_by(unlimited()).count().to_stream(), Stream[Windowed[int], int])
    sessions = grouped.windowed_by(session(5_000, grace=0), emit_strategy=on_window_close())
    assert_type(sessions.count(), Table[Windowed[int], int])
    assert_type(sessions.reduce(max), Table[Windowed[int], str])
    assert_type(
        sessions.aggregate(int, lambda total, line: total + len(line), merge=int.__add__).suppress(until_window_closes()),
        Table[Windowed[int], int],
    )
