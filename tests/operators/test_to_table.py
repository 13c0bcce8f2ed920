"""to_table, and tables of topics."""

from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology import TopologyBuilder
from tests.operators.running import emitted, engine_for


def of_stream(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=int).to_table(store="latest").to_stream().to("out")


def of_topic(builder: TopologyBuilder) -> None:
    builder.table("in", key=str, value=int, store="latest").to_stream().to("out")


def test_a_stream_as_a_table_has_the_latest_value_of_each_key() -> None:
    engine = engine_for(of_stream)
    for value, timestamp in [(1, 10), (2, 5)]:
        engine.pipe("in", "a", value, timestamp)
    assert engine.store("latest") == [StoreRow("a", 2, None, 5)]
    assert emitted(engine) == [("a", 1, 10), ("a", 2, 5)]


def test_a_null_value_deletes_the_row_and_is_forwarded() -> None:
    engine = engine_for(of_topic)
    engine.pipe("in", "a", 1, 10)
    engine.pipe("in", "a", None, 20)
    assert engine.store("latest") == []
    assert emitted(engine) == [("a", 1, 10), ("a", None, 20)]


def test_a_record_without_a_key_is_dropped() -> None:
    engine = engine_for(of_topic)
    engine.pipe("in", None, 1, 10)
    assert engine.drops == {("in-table", "null-key"): 1}
