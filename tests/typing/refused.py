"""Chains of operators that the type checker must refuse; a comment in each line has the error codes, of which one must occur."""

from eddyline import aggregations as agg
from eddyline.application.topology import TopologyBuilder, join_windows, session, tumbling, until_time_limit, until_window_closes


def chains(builder: TopologyBuilder) -> None:
    """Make one mistake in each line with a comment."""
    lines = builder.stream("lines", key=str, value=str)
    numbers = builder.stream("numbers", key=int, value=int)
    counts = lines.group_by_key().count()

    lines.group_by_key().count().windowed_by(tumbling(1, grace=0))  # refused: attr-defined
    lines.windowed_by(tumbling(1, grace=0))  # refused: attr-defined
    lines.count()  # refused: attr-defined
    counts.to("out")  # refused: attr-defined
    lines.merge(numbers)  # refused: arg-type
    lines.filter(lambda line: True)  # refused: arg-type, misc
    lines.map(lambda _key, line: line)  # refused: arg-type, return-value, misc
    lines.group_by_key().windowed_by(5_000)  # refused: arg-type, call-overload
    lines.group_by_key().reduce(lambda total, line: total + len(line))  # refused: operator, arg-type, return-value
    tumbling(1_000)  # refused: call-arg
    lines.group_by_key().windowed_by(session(1_000, grace=0)).aggregate(int, lambda total, _line: total + 1)  # refused: call-overload
    counts.suppress(until_window_closes())  # refused: arg-type, call-overload
    lines.suppress(until_time_limit(5))  # refused: attr-defined
    counts.suppress(5)  # refused: arg-type, call-overload
    session(1_000)  # refused: call-arg

    lines.group_by_key().aggregate(agg.top_n(3, by=lambda line: line.size))  # refused: attr-defined, call-overload
    lines.group_by_key().aggregate(agg.sum(abs))  # refused: arg-type, call-overload, type-var, misc
    numbers.group_by_key().aggregate(agg.count(), int.__add__)  # refused: call-overload, arg-type

    windows = join_windows(before=5, after=5, grace=0)
    rows = builder.table("rows", key=int, value=int)
    lines.join(numbers, lambda line, number: line, windows=windows)  # refused: call-overload, arg-type
    lines.join(lines, lambda line, _: line, windows=windows, condition=lambda line, _: line.size)  # refused: call-overload, attr-defined
    lines.join(rows, lambda line, number: line)  # refused: call-overload, arg-type
    lines.join(lines, lambda one, other: one + other)  # refused: call-overload
    lines.left_join(counts, lambda line, count: line * count)  # refused: operator, call-overload
    lines.outer_join(counts, lambda line, count: line, windows=windows)  # refused: arg-type, call-overload
    lines.join(lines, lambda one, other: one + other, windows=windows, with_key=True)  # refused: call-overload, misc, arg-type
    lines.outer_join(builder.global_table("any", key=str, value=str), lambda one, other: one, key_selector=max)  # refused: call-overload
    counts.outer_join(counts, lambda one, other: one, foreign_key=str)  # refused: call-overload
    counts.join(rows, lambda count, number: count + number)  # refused: call-overload, arg-type
    counts.join(rows, lambda count, number: count, foreign_key=str)  # refused: call-overload, arg-type
    counts.join(lines, lambda count, line: count)  # refused: call-overload, arg-type
    lines.join(builder.global_table("all", key=str, value=str), lambda one, other: one)  # refused: call-overload
    counts.group_by(lambda key, count: key)  # refused: arg-type, misc, return-value
    lines.group_by_key().cogroup(lambda total, line: total + 1).cogroup(rows, lambda total, row: total)  # refused: arg-type, call-overload
    join_windows(before=5, after=5)  # refused: call-arg
