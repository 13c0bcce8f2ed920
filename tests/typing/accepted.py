"""Chains of operators that the type checker must accept, with the type that it must infer for each."""

from typing import assert_type

from eddyline import aggregations as agg
from eddyline.application.topology import (
    GlobalTable,
    Stream,
    Table,
    TopologyBuilder,
    Windowed,
    calendar_days,
    hopping,
    join_windows,
    on_window_close,
    session,
    sliding,
    unlimited,
    until_time_limit,
    until_window_closes,
)
from eddyline.application.topology.stores import versioned_key_value_store


def length(_key: str, line: str) -> int:
    """Return the length of the line."""
    return len(line)


def chains(builder: TopologyBuilder) -> None:
    """Infer key and value types from the functions of operators."""
    lines = builder.stream("lines", key=str, value=str)
    assert_type(lines, Stream[str, str])
    assert_type(lines.filter(lambda key, line: key < line), Stream[str, str])
    assert_type(lines.map_values(len), Stream[str, int])
    assert_type(lines.map_values(length, with_key=True), Stream[str, int])
    assert_type(lines.flat_map_values(str.split), Stream[str, str])
    assert_type(lines.map(lambda key, line: (len(line), key)), Stream[int, str])
    assert_type(lines.select_key(length), Stream[int, str])
    assert_type(lines.merge(lines), Stream[str, str])

    assert_type(lines.group_by_key().aggregate(agg.top_n(3, by=lambda line: len(line))), Table[str, list[str]])  # noqa: PLW0108
    assert_type(lines.group_by_key().aggregate(agg.max_by(lambda line: line.upper())), Table[str, str])
    assert_type(lines.group_by_key().aggregate(agg.percentile(len, 0.99)), Table[str, float])
    assert_type(lines.group_by_key().aggregate(agg.count_distinct(len).where(lambda line: bool(line))), Table[str, int])  # noqa: PLW0108
    lengths = lines.group_by_key().windowed_by(session(5_000, grace=0)).aggregate(agg.max(len))
    assert_type(lengths, Table[Windowed[str], int])
    assert_type(lines.to_table().group_by(lambda key, line: (line, key)).aggregate(agg.collect_list()), Table[str, list[str]])

    counted = lines.group_by(length).count()
    assert_type(counted, Table[int, int])
    assert_type(counted.to_stream(), Stream[int, int])
    assert_type(counted.to_stream(lambda key, count: f"{key}-{count}"), Stream[str, int])
    lines.to(lambda key, line, context: f"{context.topic}-{key}-{line}", partitioner=lambda _key, _line, count: range(count))
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


def tables(builder: TopologyBuilder) -> None:
    """Infer the types of tables, joins and cogroups."""
    names = builder.table("names", key=int, value=str)
    sizes = builder.table("sizes", key=int, value=float)
    owners = builder.table("owners", key=str, value=bytes)
    everywhere = builder.global_table("everywhere", key=str, value=bytes)
    assert_type(everywhere, GlobalTable[str, bytes])
    versioned = builder.table("rates", key=str, value=float, store=versioned_key_value_store("rates", history_retention=1))
    assert_type(versioned, Table[str, float])
    rated = builder.stream("lines", key=str, value=str)
    assert_type(rated.join(versioned, lambda line, rate: (line, rate), grace=1), Stream[str, tuple[str, float]])
    assert_type(names.filter(lambda key, name: len(name) > key).filter_not(lambda _key, name: not name), Table[int, str])
    assert_type(names.map_values(len), Table[int, int])
    assert_type(names.group_by(lambda key, name: (name, key)).count(), Table[str, int])
    assert_type(names.group_by(lambda key, name: (name or None, key)).reduce(int.__add__, int.__sub__), Table[str, int])
    assert_type(names.join(sizes, lambda name, size: (name, size)), Table[int, tuple[str, float]])
    assert_type(names.left_join(sizes, lambda key, _name, size: size or key, with_key=True), Table[int, float | int])
    assert_type(names.outer_join(sizes, lambda _name, size: size is None), Table[int, bool])
    assert_type(names.outer_join(sizes, lambda name, size: (name, size)), Table[int, tuple[str | None, float | None]])
    assert_type(names.join(owners, lambda _name, owner: owner, foreign_key=lambda name: name), Table[int, bytes])
    assert_type(
        names.join(owners, lambda key, _name, owner: (key, owner), foreign_key=lambda name: name, with_key=True),
        Table[int, tuple[int, bytes]],
    )
    assert_type(
        names.left_join(owners, lambda _name, owner: owner, foreign_key=lambda name: name or None), Table[int, bytes | None]
    )

    events = builder.stream("events", key=int, value=str)
    others = builder.stream("others", key=int, value=float)
    windows = join_windows(before=5, after=5, grace=0)
    assert_type(events.join(others, lambda event, other: (event, other), windows=windows), Stream[int, tuple[str, float]])
    assert_type(events.outer_join(others, lambda event, _other: event, windows=windows), Stream[int, str | None])
    assert_type(
        events.outer_join(others, lambda key, event, other: (key, event, other), windows=windows, with_key=True),
        Stream[int, tuple[int, str | None, float | None]],
    )
    assert_type(
        events.outer_join(
            others, lambda event, _other: event, windows=windows, condition=lambda event, other: len(event) < other
        ),
        Stream[int, str | None],
    )
    ending = join_windows(before=0, until=len, grace=0)
    assert_type(events.join(others, lambda _event, other: other, windows=ending), Stream[int, float])
    assert_type(events.left_join(sizes, lambda _event, size: size), Stream[int, float | None])
    assert_type(events.join(sizes, lambda key, _event, size: size + key, with_key=True), Stream[int, float])
    assert_type(events.join(everywhere, lambda _event, found: found, key_selector=lambda _key, event: event), Stream[int, bytes])
    assert_type(
        events.left_join(
            everywhere, lambda key, _event, found: (key, found), key_selector=lambda _key, event: event, with_key=True
        ),
        Stream[int, tuple[int, bytes | None]],
    )
    cogrouped = events.group_by_key().cogroup(totalled).cogroup(others.group_by_key(), lambda total, other: total + int(other))
    assert_type(cogrouped.aggregate(int), Table[int, int])
    assert_type(cogrouped.windowed_by(hopping(5, advance=5, grace=0)).aggregate(int), Table[Windowed[int], int])
    assert_type(cogrouped.windowed_by(session(5, grace=0)).aggregate(int, merge=int.__add__), Table[Windowed[int], int])


def totalled(total: int, event: str) -> int:
    """Return the total with one more event."""
    return total + len(event)
