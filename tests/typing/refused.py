"""Chains of operators that the type checker must refuse: it reports each line whose error it does not find."""

from eddyline import aggregations as agg
from eddyline.application.topology import TopologyBuilder, join_windows, session, tumbling, until_time_limit, until_window_closes


def chains(builder: TopologyBuilder) -> None:
    """Make one mistake in each line with a comment."""
    lines = builder.stream("lines", key=str, value=str)
    numbers = builder.stream("numbers", key=int, value=int)
    counts = lines.group_by_key().count()

    lines.group_by_key().count().windowed_by(tumbling(1, grace=0))  # type: ignore[attr-defined]
    lines.windowed_by(tumbling(1, grace=0))  # type: ignore[attr-defined]
    lines.count()  # type: ignore[attr-defined]
    counts.to("out")  # type: ignore[attr-defined]
    lines.merge(numbers)  # type: ignore[arg-type]
    lines.filter(lambda line: True)  # type: ignore[arg-type, misc]
    lines.map(lambda _key, line: line)  # type: ignore[arg-type, return-value]
    lines.group_by_key().windowed_by(5_000)  # type: ignore[call-overload]
    lines.group_by_key().reduce(lambda total, line: total + len(line))  # type: ignore[operator]
    tumbling(1_000)  # type: ignore[call-arg]
    lines.group_by_key().windowed_by(session(1_000, grace=0)).aggregate(int, lambda total, _line: total + 1)  # type: ignore[call-overload]
    counts.suppress(until_window_closes())  # type: ignore[arg-type]
    lines.suppress(until_time_limit(5))  # type: ignore[attr-defined]
    counts.suppress(5)  # type: ignore[arg-type]
    session(1_000)  # type: ignore[call-arg]

    lines.group_by_key().aggregate(agg.top_n(3, by=lambda line: line.size))  # type: ignore[attr-defined]
    lines.group_by_key().aggregate(agg.sum(abs))  # type: ignore[arg-type]
    numbers.group_by_key().aggregate(agg.count(), int.__add__)  # type: ignore[call-overload]

    windows = join_windows(before=5, after=5, grace=0)
    rows = builder.table("rows", key=int, value=int)
    lines.join(numbers, lambda line, number: line, windows=windows)  # type: ignore[arg-type]
    lines.join(lines, lambda line, _: line, windows=windows, condition=lambda line, _: line.size)  # type: ignore[attr-defined]
    lines.join(rows, lambda line, number: line)  # type: ignore[arg-type]
    lines.join(lines, lambda one, other: one + other)  # type: ignore[call-overload]
    lines.left_join(counts, lambda line, count: line * count)  # type: ignore[operator]
    lines.outer_join(counts, lambda line, count: line, windows=windows)  # type: ignore[call-overload]
    lines.join(lines, lambda one, other: one + other, windows=windows, with_key=True)  # type: ignore[call-overload]
    lines.outer_join(builder.global_table("any", key=str, value=str), lambda one, other: one, key_selector=max)  # type: ignore[call-overload]
    counts.outer_join(counts, lambda one, other: one, foreign_key=str)  # type: ignore[call-overload]
    counts.join(rows, lambda count, number: count + number)  # type: ignore[arg-type]
    counts.join(rows, lambda count, number: count, foreign_key=str)  # type: ignore[arg-type]
    counts.join(lines, lambda count, line: count)  # type: ignore[call-overload]
    lines.join(builder.global_table("all", key=str, value=str), lambda one, other: one)  # type: ignore[call-overload]
    counts.group_by(lambda key, count: key)  # type: ignore[arg-type, return-value]
    lines.group_by_key().cogroup(lambda total, line: total + 1).cogroup(rows, lambda total, row: total)  # type: ignore[call-overload]
    join_windows(before=5, after=5)  # type: ignore[call-arg]
