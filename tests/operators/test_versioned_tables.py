"""Tables in versioned stores, and what operators downstream of them do with updates that arrive out of order."""

import operator
from collections.abc import Callable
from typing import Any

import pytest

from eddyline import Table, TopologyBuilder, TopologyError, tumbling, until_time_limit, versioned_key_value_store
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology.stores import key_value_store
from eddyline.testing import MemoryEngine
from tests.operators.running import emitted, engine_for

Operator = Callable[[TopologyBuilder, Table[str, int]], Table[Any, Any]]


def prices(builder: TopologyBuilder, *, history: int = 100) -> Table[str, int]:
    return builder.table("prices", key=str, value=int, store=versioned_key_value_store("versions", history_retention=history))


def engine_with(operator: Operator = lambda _builder, table: table, **options: Any) -> MemoryEngine:
    return engine_for(lambda builder: operator(builder, prices(builder)).to_stream().to("out"), **options)


def test_the_rows_of_a_store_are_its_versions() -> None:
    engine = engine_with()
    for value, timestamp in ((1, 10), (3, 30), (2, 20), (None, 40)):
        engine.pipe("prices", "a", value, timestamp)
    assert engine.store("versions") == [
        StoreRow("a", 1, None, 10, 20),
        StoreRow("a", 2, None, 20, 30),
        StoreRow("a", 3, None, 30, 40),
    ]


def test_updates_are_forwarded_at_once_even_if_tables_emit_their_latest_updates() -> None:
    engine = engine_with(emit="latest")
    engine.pipe("prices", "a", 1, 10)
    engine.pipe("prices", "a", 2, 5)
    assert emitted(engine) == [("a", 1, 10), ("a", 2, 5)]


def test_updates_older_than_the_history_are_dropped() -> None:
    engine = engine_with()
    engine.pipe("prices", "a", 1, 200)
    engine.pipe("prices", "a", 2, 99)
    assert emitted(engine) == [("a", 1, 200)]
    assert engine.drops == {("prices-table", "expired"): 1}


def test_a_join_of_tables_drops_updates_out_of_order() -> None:
    engine = engine_with(lambda builder, table: table.left_join(builder.table("names", key=str, value=str), _pair, name="joined"))
    engine.pipe("prices", "a", 1, 10)
    engine.pipe("prices", "a", 2, 5)
    assert emitted(engine) == [("a", (1, None), 10)]
    assert engine.drops == {("joined", "out-of-order"): 1}


@pytest.mark.parametrize("emit", ["every-update", "latest"])
def test_a_group_contains_the_latest_versions(emit: str) -> None:
    engine = engine_with(lambda _builder, table: table.group_by(_parity, name="parity").count(store="counts"), emit=emit)
    for value, timestamp in ((2, 10), (3, 30), (4, 20)):
        engine.pipe("prices", "a", value, timestamp)
    assert [(row.key, row.value) for row in engine.store("counts")] == [("even", 0), ("odd", 1)]
    assert engine.drops == {}


def test_the_right_side_of_a_foreign_key_join_in_the_same_sub_topology_stays_versioned() -> None:
    engine = engine_with(lambda _builder, table: table.join(table, _pair, foreign_key=str, name="joined"))
    engine.pipe("prices", "2", 5, 10)
    engine.pipe("prices", "a", 2, 20)
    engine.pipe("prices", "2", 7, 5)
    assert emitted(engine) == [("a", (2, 5), 20)]


def test_the_buffer_of_suppress_refuses_versioned_tables() -> None:
    with pytest.raises(TopologyError, match="suppresses updates of the versioned table 'versions-filter'"):
        engine_with(lambda _builder, table: table.filter(lambda _key, value: value > 1).suppress(until_time_limit(10)))


def test_a_global_table_is_never_versioned() -> None:
    with pytest.raises(TopologyError, match="global table 'names' cannot be stored in 'versions'"):
        TopologyBuilder().global_table(
            "names", key=str, value=str, store=versioned_key_value_store("versions", history_retention=1)
        )


def test_the_store_of_a_windowed_table_is_never_versioned() -> None:
    windowed = TopologyBuilder().stream("views", key=str, value=int).group_by_key().windowed_by(tumbling(10, grace=0))
    with pytest.raises(TopologyError, match="store 'versions' cannot be versioned, since the table has windows"):
        windowed.count(store=versioned_key_value_store("versions", history_retention=1))


def test_the_store_of_a_table_is_named_or_versioned() -> None:
    with pytest.raises(TopologyError, match="store 'rows' is a key-value store, which cannot store a table; pass the name"):
        TopologyBuilder().table("prices", key=str, value=int, store=key_value_store("rows", key=str, value=int))


def test_a_negative_history_is_refused() -> None:
    with pytest.raises(TopologyError, match="history retention of store 'versions'"):
        versioned_key_value_store("versions", history_retention=-1)


def _pair(left: int, right: Any) -> tuple[int, Any]:
    return left, right


def _parity(_key: str, value: int) -> tuple[str, int]:
    return ("odd" if value % 2 else "even"), value


def test_the_old_value_of_a_stored_table_is_its_row_and_not_the_older_version() -> None:
    engine = engine_with(
        lambda _builder, table: (
            table.filter(lambda _key, value: value > 1, store="filtered")
            .group_by(lambda _key, value: ("all", value), key=str, value=int)
            .reduce(operator.add, operator.sub, store="sums")
        )
    )
    for value, timestamp in ((2, 10), (30, 30)):
        engine.pipe("prices", "a", value, timestamp)
    assert [(row.key, row.value) for row in engine.store("sums")] == [("all", 30)]
