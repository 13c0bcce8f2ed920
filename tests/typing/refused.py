"""Chains that the type checker must refuse; each line says with which error."""

from application.topology import TopologyBuilder, session, tumbling, until_time_limit, until_window_closes


def chains(builder: TopologyBuilder) -> None:
    """Every marked line is a mistake that must not get past the type checker."""
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
