"""A record that an operator drops is kept unchanged for the dead-letter topic, with the operator and the reason."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import (
    Stream,
    TopologyBuilder,
    hopping,
    join_windows,
    on_window_close,
    session,
    sliding,
    tumbling,
    unlimited,
)
from eddyline.application.topology.stores import versioned_key_value_store
from eddyline.application.topology.types import Emit
from tests.runtime.together import incoming

Define: TypeAlias = Callable[[TopologyBuilder, Stream[str, int]], object]
HEADERS = (("trace", b"x"),)


def first(one: Any, _other: Any) -> Any:
    return one


WINDOWED: dict[str, Define] = {
    "tumbling": lambda _, stream: stream.group_by_key().windowed_by(tumbling(10, grace=0)).count(store="counts"),
    "hopping": lambda _, stream: stream.group_by_key().windowed_by(hopping(10, advance=5, grace=0)).count(store="counts"),
    "sliding": lambda _, stream: stream.group_by_key().windowed_by(sliding(10, grace=0)).count(store="counts"),
    "session": lambda _, stream: stream.group_by_key().windowed_by(session(10, grace=0)).count(store="counts"),
}
NULL_KEY: dict[str, Define] = {
    **WINDOWED,
    "count": lambda _, stream: stream.group_by_key().count(store="counts"),
    "final results of sliding windows": lambda _, stream: (
        stream.group_by_key().windowed_by(sliding(10, grace=0), emit_strategy=on_window_close()).count(store="counts")
    ),
    "to_table": lambda _, stream: stream.to_table(store="latest"),
    "join with a table": lambda builder, stream: stream.join(builder.table("other", key=str, value=int), first, value=int).to(
        "out"
    ),
    "join with a versioned table": lambda builder, stream: stream.join(
        builder.table("other", key=str, value=int, store=versioned_key_value_store("versions", history_retention=100)),
        first,
        value=int,
    ).to("out"),
    "join of streams": lambda builder, stream: stream.join(
        builder.stream("other", key=str, value=int), first, windows=join_windows(before=10, after=10, grace=0), value=int
    ).to("out"),
}
NULL_VALUE: dict[str, Define] = {
    name: NULL_KEY[name]
    for name in (
        "count",
        "final results of sliding windows",
        "join with a table",
        "join with a versioned table",
        "join of streams",
    )
}


def dropped(define: Define, *records: tuple[str | None, int | None, int], emit: Emit = "every-update") -> list[tuple[Any, ...]]:
    builder = TopologyBuilder()
    define(builder, builder.stream("in", key=str, value=int))
    one_by_one, together = (
        Task(builder.build(), 0, 0, stores=MemoryStateStores(), emit=emit, keep_dropped=True) for _ in range(2)
    )
    found = [incoming(offset, *record, HEADERS) for offset, record in enumerate(records)]
    one_by_one.process_each(found)
    together.process_all(found)
    drops = one_by_one.take_dropped()
    assert drops == together.take_dropped()
    assert {drop.node for drop in drops} <= set(one_by_one.topology.by_name)
    return [(drop.reason, drop.key, drop.value, drop.timestamp, drop.headers) for drop in drops]


@pytest.mark.parametrize("operator", NULL_KEY)
def test_a_record_without_a_key_is_kept(operator: str) -> None:
    assert dropped(NULL_KEY[operator], (None, 7, 5)) == [("null-key", None, 7, 5, HEADERS)]


@pytest.mark.parametrize("operator", NULL_VALUE)
def test_a_record_without_a_value_is_kept(operator: str) -> None:
    assert dropped(NULL_VALUE[operator], ("a", None, 5)) == [("null-value", "a", None, 5, HEADERS)]


@pytest.mark.parametrize("emit", ["every-update", "latest"])
@pytest.mark.parametrize("operator", WINDOWED)
def test_a_late_record_is_kept(operator: str, emit: Emit) -> None:
    found = dropped(WINDOWED[operator], ("b", 1, 1_000), ("a", 7, 5), emit=emit)
    assert found
    assert set(found) == {("late", "a", 7, 5, HEADERS)}


def test_a_record_whose_selected_key_is_null_is_kept_with_its_own_key() -> None:
    def define(builder: TopologyBuilder, stream: Stream[str, int]) -> None:
        table = builder.global_table("other", key=str, value=int)
        stream.join(table, first, key_selector=lambda _key, _value: None, value=int).to("out")

    assert dropped(define, ("a", 7, 5)) == [("null-join-key", "a", 7, 5, HEADERS)]


def test_a_row_without_a_foreign_key_is_kept() -> None:
    def define(builder: TopologyBuilder, stream: Stream[str, int]) -> None:
        other = builder.table("other", key=str, value=int)
        stream.to_table(store="latest").join(other, first, foreign_key=lambda _value: None).to_stream().to("out")

    assert dropped(define, ("a", 7, 5)) == [("null-join-key", "a", 7, 5, HEADERS)]


def test_a_record_that_belongs_to_no_window_is_kept() -> None:
    found = dropped(lambda _, stream: stream.group_by_key().windowed_by(unlimited(start=100)).count(store="counts"), ("a", 7, 5))
    assert found == [("no-window", "a", 7, 5, HEADERS)]


def test_a_record_without_a_key_is_kept_by_windows_that_emit_the_latest_results() -> None:
    assert dropped(WINDOWED["hopping"], (None, 7, 5), emit="latest") == [("null-key", None, 7, 5, HEADERS)]


@pytest.mark.parametrize(("timestamp", "reason"), [(150, "out-of-order"), (99, "expired")])
@pytest.mark.parametrize("options", [{}, {"foreign_key": str}], ids=["primary key", "foreign key"])
def test_an_update_that_a_versioned_table_skips_is_kept(options: dict[str, Any], timestamp: int, reason: str) -> None:
    def define(builder: TopologyBuilder, stream: Stream[str, int]) -> None:
        table = stream.to_table(store=versioned_key_value_store("versions", history_retention=100))
        table.join(builder.table("other", key=str, value=int), first, **options).to_stream().to("out")

    assert dropped(define, ("a", 1, 200), ("a", 7, timestamp)) == [(reason, "a", 7, timestamp, HEADERS)]
