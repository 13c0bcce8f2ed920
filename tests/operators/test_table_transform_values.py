"""transform_values on tables."""

from typing import Any

import pytest

from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Table, TopologyBuilder, TopologyError
from eddyline.application.topology.processor import ProcessorContext, PunctuationType, Record, ValueTransformerWithKey
from eddyline.testing import MemoryEngine
from tests.operators.running import emitted, engine_for


class Doubled(ValueTransformerWithKey[str, int, int]):
    """Doubles values, and adds the time of each punctuation to `ticks`."""

    def __init__(self, ticks: list[int] | None = None) -> None:
        self.ticks = [] if ticks is None else ticks

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        super().init(context)
        context.schedule(10, PunctuationType.STREAM_TIME, self.ticks.append)

    def transform(self, key: str, value: int | None) -> int | None:
        del key
        return None if value is None else 2 * value


class Forwarding(Doubled):
    """Forwards a record, which it must not."""

    def transform(self, key: str, value: int | None) -> int | None:
        self.context.forward(Record(key, value, 0))
        return value


def engine_with(operator: Any) -> MemoryEngine:
    def define(builder: TopologyBuilder) -> None:
        table: Table[str, int] = builder.table("in", key=str, value=int)
        operator(table).to_stream().to("out")

    return engine_for(define)


def test_values_and_deletions_are_transformed() -> None:
    engine = engine_with(lambda table: table.transform_values(Doubled))
    for timestamp, value in enumerate((3, None)):
        engine.pipe("in", "a", value, timestamp)
    assert emitted(engine) == [("a", 6, 0), ("a", None, 1)]


def test_the_type_of_the_values_is_inferred_so_that_the_result_can_be_stored() -> None:
    engine = engine_with(lambda table: table.transform_values(Doubled, store="doubled"))
    engine.pipe("in", "a", 3, 0)
    assert engine.topology.stores["doubled"].value_type is int
    assert [row.value for row in engine.store("doubled")] == [6]


def test_a_transformer_has_punctuation() -> None:
    ticks: list[int] = []
    engine = engine_with(lambda table: table.transform_values(lambda: Doubled(ticks)))
    for timestamp in (0, 5, 10):
        engine.pipe("in", "a", 3, timestamp)
    assert ticks == [0, 10]


def test_a_transformer_cannot_forward_records() -> None:
    engine = engine_with(lambda table: table.transform_values(Forwarding, name="forwarding"))
    with pytest.raises(RuntimeError, match=r"transformer 'forwarding' cannot forward records; return the new value"):
        engine.pipe("in", "a", 3, 0)


def test_a_store_that_does_not_exist_is_refused() -> None:
    with pytest.raises(TopologyError, match="operator 'in-store-transform-values' uses the unknown store 'none'"):
        engine_with(lambda table: table.transform_values(Doubled, stores=["none"]))


@pytest.mark.parametrize("store", [None, "doubled"])
def test_the_old_value_is_the_transformed_one(store: str | None) -> None:
    engine = engine_with(
        lambda table: (
            table.transform_values(Doubled, store=store)
            .group_by(lambda _key, value: ("all", value), key=str, value=int)
            .reduce(lambda total, value: total + value, lambda total, value: total - value, store="sum")
        )
    )
    for timestamp, value in ((7, 3), (8, 5)):
        engine.pipe("in", "a", value, timestamp)
    assert [(row.key, row.value) for row in engine.store("sum")] == [("all", 10)]


def test_a_transformer_is_closed_with_its_task() -> None:
    closed: list[str] = []

    class Closing(Doubled):
        def close(self) -> None:
            closed.append("closed")

    topology = engine_with(lambda table: table.transform_values(Closing)).topology
    Task(topology, 0, 0, stores=MemoryStateStores()).close()
    assert closed == ["closed"]


class _Located(ValueTransformerWithKey[str, int, str]):
    """Returns the value with the metadata that it sees."""

    def transform(self, key: str, value: int | None) -> str:
        metadata = self.context.record_metadata
        assert metadata is not None
        return f"{key}={value} {tuple(metadata)}"


def test_a_transformer_that_is_read_by_a_join_sees_the_row_in_place_of_the_record_that_is_joined() -> None:
    def define(builder: TopologyBuilder) -> None:
        table = builder.table("rows", key=str, value=int, store="rows").transform_values(_Located)
        builder.stream("in", key=str, value=int).left_join(table, lambda _left, right: str(right), value=str).to("out")

    engine = engine_for(define)
    engine.pipe("rows", "a", 7, 10)
    for key in ("a", "b"):
        engine.pipe("in", key, 1, 20, (("h", b"x"),))
    assert emitted(engine) == [("a", "a=7 ('', -1, -1, 10, ())", 20), ("b", "b=None ('', -1, -1, -1, ())", 20)]
