"""Many records that are aggregated by key at once, compared with the same records one by one."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import TopologyBuilder
from eddyline.adapters.memory import state_store
from eddyline.adapters.memory.key_value_store import MemoryKeyValueStore
from eddyline.application.runtime.task.task import Task
from tests.runtime.together import (
    TogetherOnly,
    added,
    added_with_key,
    assert_that_the_record_is_named,
    checked,
    incoming,
    new_task,
    observed,
    record_lists,
)

DOWNSTREAM: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda stream: stream,
    "map values": lambda stream: stream.map_values(lambda text: text and text[::-1], value=str),
    "map values with key": lambda stream: stream.map_values(lambda key, text: f"{key}{text}", value=str, with_key=True),
    "map": lambda stream: stream.map(lambda key, text: (f"{key}{text}", text), key=str, value=str),
    "filter": lambda stream: stream.filter(lambda _key, text: bool(text)),
}


def _flow(downstream: str, *, with_key: bool = False) -> Callable[[TopologyBuilder], None]:
    def define(builder: TopologyBuilder) -> None:
        group: Any = builder.stream("in", key=str, value=str).group_by_key()
        adder: Any = added_with_key if with_key else added
        table = group.aggregate(str, adder, with_key=with_key, value=str, store="s")
        DOWNSTREAM[downstream](table.to_stream()).to("out")

    return define


RECORDS = record_lists(["1", "2", "x", None])


def _changes(task: Task) -> dict[Any, Any]:
    return {(name, key): value for name, (key, value) in task.drain_changes()}


@given(downstream=st.sampled_from(sorted(DOWNSTREAM)), with_key=st.booleans(), batches=st.lists(RECORDS, max_size=3))
def test_records_are_aggregated_together_as_one_by_one(downstream: str, batches: list[list[Any]], *, with_key: bool) -> None:
    define = _flow(downstream, with_key=with_key)
    together, one_by_one = new_task(define, TogetherOnly), new_task(define)
    for batch in batches:
        records = [incoming(offset, *found) for offset, found in enumerate(batch)]
        together.process_all(records)
        one_by_one.process_each(records)
        assert observed(together) == observed(one_by_one)
        assert _changes(together) == _changes(one_by_one)


def test_the_aggregate_of_a_key_is_read_and_put_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[Any, ...]] = []

    class NotingStore(MemoryKeyValueStore[Any, Any]):
        """Notes what is read and put."""

        def get(self, key: Any) -> Any:
            calls.append(("get", key))
            return super().get(key)

        def put_all(self, values: Mapping[Any, Any]) -> None:
            calls.append(("put all", *values.items()))
            super().put_all(values)

    monkeypatch.setattr(state_store, "MemoryKeyValueStore", NotingStore)
    task = new_task(_flow("map values"))
    task.process_all([incoming(offset, "k", "1", timestamp) for offset, timestamp in enumerate((10, 12, 11))])
    assert calls == [("get", "k"), ("put all", ("k", ("111", 12)))]
    (columns,) = task.take_columns()
    assert list(columns.records.values) == ["1", "11", "111"]
    assert list(columns.records.timestamps) == [10, 12, 12]
    assert list(columns.records.origins) == [0, 1, 2]


def _failing_mapper(builder: TopologyBuilder) -> None:
    group = builder.stream("in", key=str, value=str).filter(lambda _, value: bool(value)).group_by_key()
    table = group.aggregate(str, lambda _, value: value, value=str, store="s")
    table.to_stream().map_values(checked, value=str, name="checked").to("out")


def _failing_adder(builder: TopologyBuilder) -> None:
    group = builder.stream("in", key=str, value=str).filter(lambda _, value: bool(value)).group_by_key()
    group.aggregate(str, lambda _, value: checked(value), value=str, store="s").to_stream().to("out")


@pytest.mark.parametrize("define", [_failing_mapper, _failing_adder])
def test_an_exception_names_the_operator_and_the_record(define: Callable[[TopologyBuilder], None]) -> None:
    assert_that_the_record_is_named(define)


def _two_children(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str).group_by_key().count(store="s").to_stream()
    stream.to("out")
    stream.to("copy")


def _shared_store(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str)
    counts = stream.group_by_key().count(store="s")
    counts.to_stream().to("out")
    stream.left_join(counts, lambda _value, count: count or 0, value=int).to("joined")


@pytest.mark.parametrize(("define", "topics"), [(_two_children, ["out", "copy"]), (_flow("filter"), ["out"])])
def test_updates_are_forwarded_together(define: Callable[[TopologyBuilder], None], topics: list[str]) -> None:
    task = new_task(define)
    task.process_all([incoming(0, "k", "1", 1)])
    assert [columns.topic for columns in task.take_columns()] == topics


def test_other_updates_are_forwarded_one_by_one() -> None:
    task = new_task(_shared_store)
    task.process_all([incoming(0, "k", "1", 1)])
    assert not task.take_columns()
    assert task.take_output()[0].topic == "out"


def _filtered(builder: TopologyBuilder) -> None:
    counts = builder.stream("in", key=str, value=str).group_by_key().count(store="s")
    counts.filter(lambda _key, count: count < 3).to_stream().to("out")


def test_a_row_that_no_longer_matches_is_deleted_once() -> None:
    task = new_task(_filtered)
    task.process_all([incoming(offset, "k", "1", offset) for offset in range(4)])
    (columns,) = task.take_columns()
    assert list(columns.records.values) == [1, 2, None]
