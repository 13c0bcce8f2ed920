"""The nodes and stores that each operator adds: their default names, which are those of state, their types and their parents."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eddyline.application.topology import (
    Topology,
    TopologyBuilder,
    join_windows,
    session,
    sliding,
    tumbling,
    until_time_limit,
)
from eddyline.application.topology.nodes import TableFilterNode
from eddyline.application.topology.processor import Processor, Record, ValueTransformerWithKey
from eddyline.application.topology.stores import versioned_key_value_store
from eddyline.application.topology.types import type_name

WINDOWS = join_windows(before=10, after=20, grace=5)


class Forwarding(Processor[str, int, str, int]):
    def process(self, record: Record[str, int]) -> None:
        self.context.forward(record)


class Unchanged(ValueTransformerWithKey[str, int, int]):
    def transform(self, key: str, value: int | None) -> int | None:
        del key
        return value


class Given:
    """A stream `lines` and a table `rows`, to apply operators to, and others to join; keys are str, values int."""

    def __init__(self) -> None:
        self.builder = TopologyBuilder()
        self.lines: Any = self.builder.stream("lines", key=str, value=int)
        self.rows: Any = self.builder.table("rows", key=str, value=int, store="rows-store")

    def add_nodes(self) -> None:
        """Add a source, a processor and a sink, named `in`, `work` and `write`."""
        self.builder.add_source("in", "others", key=bytes, value=float, timestamp=time_of)
        self.builder.add_processor("work", Forwarding, parents=["in"], stores=[])
        self.builder.add_sink("write", topic_of, parents=["work"])
        self.builder.add_sink("copy", "copies", parents=["in"])

    @property
    def others(self) -> Any:
        return self.builder.stream("others", key=str, value=int)

    @property
    def other_rows(self) -> Any:
        return self.builder.table("others", key=str, value=int)

    @property
    def global_rows(self) -> Any:
        return self.builder.global_table("others", key=str, value=int)


def time_of(record: Any) -> int:
    return int(record.value)


def topic_of(_key: str, value: int, _context: Any) -> str:
    return str(value)


def text(_key: str, value: int) -> str:
    return str(value)


def pair(key: str, value: int) -> tuple[bytes, float]:
    return key.encode(), float(value)


def pairs(key: str, value: int) -> list[tuple[bytes, float]]:
    return [pair(key, value)]


def texts(value: int) -> list[str]:
    return [str(value)]


def ratio(left: int, right: int) -> float:
    return left / right


def either(left: int | None, right: int | None) -> float:
    return (left or 0) / (right or 1)


def plus(left: int, right: int) -> int:
    return left + right


def zero() -> float:
    return 0.0


def add(total: float, value: int) -> float:
    return total + value


def is_even(_key: str, value: int) -> bool:
    return value % 2 == 0


def same(value: int) -> str:
    return str(value)


def described(topology: Topology) -> list[str]:
    """Return a line for each node but the sources `lines` and `rows`, and for each store but that of `rows`."""
    lines = []
    for node in topology.nodes:
        if node.name not in {"lines", "rows", "rows-table"}:
            kind = type(node).__name__.removesuffix("Node")
            more = "".join(
                f"; {label} {', '.join(names)}"
                for label, names in (("stores", node.stores), ("copartitioned", getattr(node, "copartitioned", ())))
                if names
            )
            more += "".join(
                f"; {attribute} {getattr(found, '__name__', found)}"
                for attribute in ("timestamp_extractor", "with_context", "with_key", "partitions", "null_keys", "global_")
                if (found := getattr(node, attribute, None))
            )
            lines.append(
                f"{kind} {node.name} of {', '.join(node.parents)}: {type_name(node.key_type)}, {type_name(node.value_type)}{more}"
            )
    for spec in topology.stores.values():
        if spec.name != "rows-store":
            options = [name for name in ("timestamped", "queryable") if getattr(spec, name)]
            kept = "" if spec.retention_ms is None else f", kept {spec.retention_ms}+{spec.kept_longer_ms} ms"
            lines.append(
                f"{spec.kind.value} store {spec.name}: {type_name(spec.key_type)}, {type_name(spec.value_type)}"
                f"{''.join(f', {option}' for option in options)}{kept}"
            )
    return lines


OPERATORS: dict[str, Callable[[Given], Any]] = {
    "filter": lambda given: given.lines.filter(is_even),
    "filter_not": lambda given: given.lines.filter_not(is_even),
    "map": lambda given: given.lines.map(pair),
    "map with types": lambda given: given.lines.map(lambda key, value: (key, value), key=bytes, value=float),
    "map_values": lambda given: given.lines.map_values(same),
    "map_values with a name": lambda given: given.lines.map_values(same, name="mine"),
    "flat_map": lambda given: given.lines.flat_map(pairs),
    "flat_map with types": lambda given: given.lines.flat_map(lambda key, value: [(key, value)], key=bytes, value=float),
    "flat_map, then count": lambda given: given.lines.flat_map(pairs).group_by_key().count(),
    "map, then count": lambda given: given.lines.map(pair).group_by_key().count(),
    "flat_map_values": lambda given: given.lines.flat_map_values(texts),
    "select_key": lambda given: given.lines.select_key(text),
    "peek": lambda given: given.lines.peek(print),
    "for_each": lambda given: given.lines.for_each(print),
    "merge": lambda given: given.lines.merge(given.others),
    "through": lambda given: given.lines.through("between"),
    "through with a name": lambda given: given.lines.through("between", name="mine"),
    "to": lambda given: given.lines.to("out"),
    "to chosen topics": lambda given: given.lines.to(text, name="mine"),
    "to_table": lambda given: given.lines.to_table(),
    "to_table with a store": lambda given: given.lines.to_table(store="mine"),
    "repartition": lambda given: given.lines.repartition(),
    "repartition with a name": lambda given: given.lines.repartition(name="mine"),
    "repartition with partitions": lambda given: given.lines.repartition(name="mine", partitions=7),
    "stream with timestamps": lambda given: given.builder.stream("others", key=str, value=int, timestamp=time_of),
    "table with timestamps": lambda given: given.builder.table("others", key=str, value=int, timestamp=time_of),
    "to topics by context": lambda given: given.lines.to(topic_of, name="mine"),
    "split": lambda given: given.lines.split().branch(is_even, name="even").default_branch(),
    "split by rekeyed": lambda given: (
        given.lines.map(pair).split().branch(is_even, name="even").default_branch()["default"].group_by_key().count()
    ),
    "process": lambda given: given.lines.process(Forwarding),
    "process with types": lambda given: given.lines.process(Forwarding, key=bytes, value=float, name="mine"),
    "group_by": lambda given: given.lines.group_by(text).count(),
    "count": lambda given: given.lines.group_by_key().count(),
    "count with a store": lambda given: given.lines.group_by_key().count(store="mine"),
    "reduce": lambda given: given.lines.group_by_key().reduce(plus),
    "aggregate": lambda given: given.lines.group_by_key().aggregate(zero, add),
    "aggregate with a type": lambda given: given.lines.group_by_key().aggregate(zero, add, value=complex, store="mine"),
    "tumbling count": lambda given: given.lines.group_by_key().windowed_by(tumbling(10, grace=5)).count(),
    "tumbling reduce": lambda given: given.lines.group_by_key().windowed_by(tumbling(10, grace=5)).reduce(plus),
    "tumbling aggregate": lambda given: (
        given.lines.group_by_key().windowed_by(tumbling(10, grace=5)).aggregate(zero, add, value=complex)
    ),
    "sliding aggregate": lambda given: (
        given.lines.group_by_key().windowed_by(sliding(10, grace=5)).aggregate(zero, add, store="mine")
    ),
    "session count": lambda given: given.lines.group_by_key().windowed_by(session(10, grace=5)).count(),
    "session reduce": lambda given: given.lines.group_by_key().windowed_by(session(10, grace=5)).reduce(plus),
    "session aggregate": lambda given: (
        given.lines.group_by_key()
        .windowed_by(session(10, grace=5))
        .aggregate(zero, add, merge=lambda one, other: one + other, store="mine")
    ),
    "cogroup": lambda given: given.lines.group_by_key().cogroup(add).cogroup(given.others.group_by_key(), add).aggregate(zero),
    "windowed cogroup": lambda given: given.lines.group_by_key().cogroup(add).windowed_by(tumbling(10, grace=5)).aggregate(zero),
    "suppress": lambda given: given.rows.suppress(until_time_limit(5)),
    "table filter": lambda given: given.rows.filter(is_even),
    "table filter_not with names": lambda given: given.rows.filter_not(is_even, store="odd", name="mine"),
    "table map_values": lambda given: given.rows.map_values(same),
    "table map_values with a store": lambda given: given.rows.map_values(same, store="mine"),
    "table transform_values": lambda given: given.rows.transform_values(Unchanged),
    "table to_stream": lambda given: given.rows.to_stream(),
    "table group_by, count": lambda given: given.rows.group_by(
        lambda _key, value: (str(value), value), key=str, value=int
    ).count(),
    "table group_by, reduce": lambda given: given.rows.group_by(pair).reduce(
        lambda one, other: one + other, lambda one, other: one - other
    ),
    "table group_by, aggregate": lambda given: given.rows.group_by(pair).aggregate(
        zero, lambda total, value: total + value, lambda total, value: total - value, store="mine"
    ),
    "table group_by with a name": lambda given: given.rows.group_by(pair, name="mine").aggregate(
        zero, lambda total, value: total + value, lambda total, value: total - value, value=complex
    ),
    "table with another topic": lambda given: given.builder.table("others", key=bytes, value=float),
    "global table": lambda given: given.builder.global_table("others", key=bytes, value=float),
    "join of streams": lambda given: given.lines.join(given.others, ratio, windows=WINDOWS),
    "left join of streams with a name": lambda given: given.lines.left_join(given.others, either, windows=WINDOWS, name="mine"),
    "outer join of streams": lambda given: given.lines.outer_join(given.others, either, windows=WINDOWS),
    "join with a table": lambda given: given.lines.join(given.rows, ratio),
    "join of a rekeyed stream with a table": lambda given: given.lines.select_key(text).left_join(given.rows, either),
    "join with a global table": lambda given: given.lines.join(given.global_rows, ratio, key_selector=text),
    "join of tables": lambda given: given.rows.join(given.other_rows, ratio),
    "outer join of tables with a store": lambda given: given.rows.outer_join(given.other_rows, either, store="mine"),
    "foreign-key join": lambda given: given.rows.join(given.other_rows, ratio, foreign_key=same),
    "foreign-key left join with a name": lambda given: given.rows.left_join(
        given.other_rows, either, foreign_key=same, name="mine"
    ),
    "processor API": lambda given: given.add_nodes(),
    "pattern": lambda given: given.builder.stream(re.compile("others-.*"), key=bytes, value=float),
}


RECORDED = Path(__file__).with_name("nodes.txt")


def recorded() -> dict[str, list[str]]:
    """Return the expected lines by operator; a line in brackets begins an operator."""
    parts = re.split(r"^\[(.*)\]\n", RECORDED.read_text(), flags=re.MULTILINE)[1:]
    return {operator: lines.splitlines() for operator, lines in zip(parts[::2], parts[1::2], strict=True)}


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_adds_these_nodes_and_stores(operator: str) -> None:
    given = Given()
    OPERATORS[operator](given)
    assert described(given.builder.build()) == recorded()[operator]


def test_every_recorded_operator_is_defined() -> None:
    assert list(recorded()) == list(OPERATORS)


def test_a_global_table_has_a_topic_that_is_read_by_all_tasks() -> None:
    builder = TopologyBuilder()
    builder.global_table("everywhere", key=str, value=str)
    builder.table("in", key=str, value=str)
    topology = builder.build()
    found = [topology.source_topic(topic) for topic in ("everywhere", "in")]
    assert [spec.global_ for spec in found if spec] == [True, False]


def test_the_records_that_wait_for_a_versioned_table_cannot_be_queried() -> None:
    builder = TopologyBuilder()
    table = builder.table("table", key=str, value=str, store=versioned_key_value_store("versions", history_retention=100))
    builder.stream("in", key=str, value=str).join(table, lambda one, _other: one, value=str, grace=10).to("out")
    assert {name: store.queryable for name, store in builder.build().stores.items() if name != "versions"} == {
        "in-versions-join-buffer-store": False
    }


def test_every_repartition_upstream_of_joins_that_keep_null_keys_keeps_them() -> None:
    builder = TopologyBuilder()
    table = builder.table("table", key=str, value=str)
    streams = {name: builder.stream(name, key=str, value=str).repartition(name=name) for name in "abc"}
    shared = streams["b"].left_join(table, lambda one, _other: one, value=str)
    for name in "ac":
        merged = streams[name].merge(shared)
        merged.left_join(table, lambda one, _other: one, value=str, name=f"joined-{name}").to("out")
    topics = builder.build().repartition_topics
    assert {topic for topic, sink in topics.items() if sink.null_keys} == {f"{name}-repartition" for name in "abc"}


@pytest.mark.parametrize(("store", "known"), [(None, True), ("filtered", False)])
def test_a_filter_knows_old_values_if_a_join_reads_the_rows_of_its_table(store: str | None, *, known: bool) -> None:
    builder = TopologyBuilder()
    table, other = (builder.table(topic, key=str, value=int) for topic in ("in", "other"))
    other.left_join(table.filter(lambda _key, value: value > 1, store=store, name="read"), lambda one, _other: one)
    table.filter(lambda _key, value: value > 2, name="later")
    (later,) = [node for node in builder.build().nodes if isinstance(node, TableFilterNode) and node.name == "later"]
    assert later.old_values is known
