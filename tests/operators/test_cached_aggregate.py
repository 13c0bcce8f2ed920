"""Aggregates that are kept in a record cache until the commit, compared with those that are put record by record."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import Processor, ProcessorContext, PunctuationType, Record, TopologyBuilder
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators import fold_by_key
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, IncomingRecord
from eddyline.application.runtime.task.task import Task
from tests.adapters.memory.running import built


def _deleting(text: str, value: str) -> str | None:
    return None if value == "delete" else text + value


AGGREGATIONS: dict[str, Callable[[Any], Any]] = {
    "count": lambda group: group.count(store="s"),
    "reduce": lambda group: group.reduce(lambda one, other: one + other, store="s"),
    "aggregate with key": lambda group: group.aggregate(
        str, lambda key, text, value: f"{text}{key}{value}", with_key=True, value=str, store="s"
    ),
    "aggregate that deletes": lambda group: group.aggregate(str, _deleting, value=str, store="s"),
}


def _flow(aggregation: str) -> Callable[[TopologyBuilder], None]:
    def define(builder: TopologyBuilder) -> None:
        group = builder.stream("in", key=str, value=str).group_by_key()
        AGGREGATIONS[aggregation](group).to_stream().to("out")

    return define


def _task(define: Callable[[TopologyBuilder], None]) -> Task:
    return Task(built(define), 0, 0, stores=MemoryStateStores(), emit="latest")


def _put_at_once(define: Callable[[TopologyBuilder], None]) -> Task:
    with patch.object(fold_by_key, "has_own_store", return_value=False):
        return _task(define)


def _record(offset: int, key: str | None, value: Any, timestamp: int, headers: Headers = ()) -> IncomingRecord:
    return IncomingRecord("in", 0, offset, timestamp, key, value, headers, NO_ARRIVAL)


def _committed(task: Task, state: dict[Any, Any]) -> tuple[Any, ...]:
    """Return what is seen of a task after a commit; `state` is what its changes so far come to."""
    task.commit()
    output = [found[:5] for found in task.take_output()]
    for store, (key, value) in task.drain_changes():
        state.pop((store, key), None)
        if value is not None:
            state[store, key] = value
    return output, task.take_drops(), task.stream_time, state


RECORDS = st.lists(
    st.tuples(
        st.none() | st.sampled_from(["a", "b", "c"]),
        st.none() | st.sampled_from(["x", "y", "delete"]),
        st.integers(0, 9),
        st.sampled_from([(), (("h", b"1"),)]),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
@given(batches=st.lists(RECORDS, max_size=4), together=st.booleans())
def test_table_updates_and_changes_are_those_of_aggregates_that_are_put_at_once(
    aggregation: str, batches: list[list[tuple[str | None, str | None, int, Headers]]], together: bool
) -> None:
    cached, at_once = _task(_flow(aggregation)), _put_at_once(_flow(aggregation))
    states: tuple[dict[Any, Any], dict[Any, Any]] = ({}, {})
    for batch in batches:
        records = [_record(offset, *found) for offset, found in enumerate(batch)]
        if together:
            cached.process_all(records)
        else:
            cached.process_each(records)
        at_once.process_each(records)
        assert _committed(cached, states[0]) == _committed(at_once, states[1])


def test_the_store_is_written_at_the_commit() -> None:
    task = _task(_flow("count"))
    task.process_all([_record(0, "a", "x", 1), _record(1, "a", "x", 2)])
    assert task.stores["s"].get("a") is None  # type: ignore[attr-defined] # a store of keys
    task.commit()
    assert task.stores["s"].get("a") == (2, 2)  # type: ignore[attr-defined] # likewise


class Reader(Processor[str, str, str, str]):
    """Forwards what the store of the counts has for a key."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        self._context = context

    def process(self, record: Record[str, str]) -> None:
        found = self._context.state_store("s").get(record.key)
        self._context.forward(record.with_value(str(found and found[0])))


def _read_by_another_operator(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str)
    stream.group_by_key().count(store="s").to_stream().to("out")
    stream.process(Reader, key=str, value=str, stores=["s"]).to("read")


def test_a_store_that_another_operator_reads_is_written_at_once() -> None:
    task = _task(_read_by_another_operator)
    task.process_all([_record(0, "a", "x", 1), _record(1, "a", "x", 2)])
    assert [output.value for output in task.take_output() if output.topic == "read"] == ["1", "2"]


class Clock(Processor[str, int, str, int]):
    """Forwards the times of its punctuation."""

    def init(self, context: ProcessorContext[str, int]) -> None:
        context.schedule(2, PunctuationType.STREAM_TIME, lambda now: context.forward(Record("clock", now, now)))

    def process(self, record: Record[str, int]) -> None:
        """Forward nothing."""


def _punctuated(builder: TopologyBuilder) -> None:
    counts = builder.stream("in", key=str, value=str).group_by_key().count(store="s")
    counts.to_stream().process(Clock, key=str, value=int).to("out")


def test_stream_time_advances_record_by_record_where_a_punctuation_follows() -> None:
    task = _task(_punctuated)
    task.process_all([_record(0, "a", "x", 1), _record(1, "a", "x", 4), _record(2, "a", "x", 9)])
    assert [output.value for output in task.take_output()] == [1, 4, 9]
