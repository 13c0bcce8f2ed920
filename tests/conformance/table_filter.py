"""Filters of tables, with and without stores, in front of all kinds of operators."""

from typing import Any, Literal

from eddyline.application.topology import Table, TopologyBuilder, until_time_limit
from tests.conformance.joins import pair

Kind = Literal[
    "plain",
    "not",
    "result-stored",
    "twice",
    "mapped",
    "of-stream",
    "of-count",
    "of-joined-table",
    "joined",
    "inner-join",
    "left-join",
    "right-of-outer-join",
    "grouped",
    "suppressed",
    "foreign-key",
    "of-foreign-key",
]

_LEAST = 3


def _is_even(_key: str, value: Any) -> bool:
    return bool(value % 2 == 0)


_SIMPLE: Any = {
    "plain": lambda numbers: numbers.filter(_is_even),
    "of-joined-table": lambda numbers: numbers.filter(_is_even),
    "not": lambda numbers: numbers.filter_not(_is_even),
    "result-stored": lambda numbers: numbers.filter(_is_even, store="even-rows"),
    "twice": lambda numbers: numbers.filter(_is_even, store="even-rows").filter(lambda _key, value: value >= _LEAST),
    "mapped": lambda numbers: numbers.map_values(lambda value: value + 1, value=object).filter(_is_even),
}


def table_filter(
    builder: TopologyBuilder, *, kind: Kind = "plain", stored: bool = False, over: int = -1, excluded: int = -1
) -> None:
    """Filter the table of topic `numbers`, or of topic `more`, into topic `even`."""
    if kind in {"of-stream", "of-count"}:
        _of_stream(builder, kind, over, excluded)
        return
    numbers: Table[str, Any] = builder.table("numbers", key=str, value=object, store="numbers-rows" if stored else None)
    if kind == "of-joined-table":
        builder.stream("more", key=str, value=object).join(numbers, pair).to("joined")
    if kind in {"grouped", "suppressed", "foreign-key"}:
        _with_branches(builder, kind, numbers.filter(_is_even))
        return
    result: Table[str, Any] = _SIMPLE[kind](numbers) if kind in _SIMPLE else _joined(builder, kind, numbers)
    result.to_stream().to("even")


def _of_stream(builder: TopologyBuilder, kind: Kind, over: int, excluded: int) -> None:
    more = builder.stream("more", key=str, value=object)
    if kind == "of-stream":
        more.to_table().filter(_is_even).to_stream().to("even")
        return
    counts = more.group_by_key().count(store="counts").map_values(lambda count: count, value=int)
    counts.filter(lambda _key, count: count > over and count != excluded).to_stream().to("even")


def _joined(builder: TopologyBuilder, kind: Kind, numbers: Table[str, Any]) -> Table[str, Any]:
    more = builder.table("more", key=str, value=object)
    if kind == "joined":
        return numbers.join(more, pair).filter(lambda _key, _value: False)
    if kind == "of-foreign-key":
        return numbers.join(more, pair, foreign_key=str).filter(lambda key, _value: key == "C")
    even = numbers.filter(_is_even)
    if kind == "inner-join":
        return even.join(more, pair)
    return even.left_join(more, pair) if kind == "left-join" else more.outer_join(even, pair)


def _with_branches(builder: TopologyBuilder, kind: Kind, even: Table[str, Any]) -> None:
    even.to_stream().to("even")
    if kind == "grouped":
        grouped = even.group_by(lambda _key, value: ("all", value), key=str, value=object)
        grouped.count(store="counts").to_stream().to("counted")
    elif kind == "suppressed":
        even.suppress(until_time_limit(5), name="wait").to_stream().to("waited")
    else:
        more = builder.table("more", key=str, value=object)
        even.join(more, pair, foreign_key=str).to_stream().to("paired")
