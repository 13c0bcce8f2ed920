"""Tasks that process the same records together and one by one, to compare them."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import strategies as st

from eddyline import TopologyBuilder
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.context import TableForward, UpdatesForward
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.input.incoming_columns import rows_of
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, IncomingRecord
from eddyline.application.runtime.task.context import many_changes, one_by_one
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology.records import RecordMetadata
from eddyline.application.topology.timestamps import MAX_TIMESTAMP
from tests.adapters.memory.running import built


def new_task(define: Callable[[TopologyBuilder], None], made: type[Task] = Task, **options: Any) -> Task:
    """Return a new task of the topology that a function defines, with stores in memory."""
    return made(built(define), 0, 0, stores=MemoryStateStores(), **options)


def incoming(offset: int, key: str | None, value: Any, timestamp: int, headers: Headers = ()) -> IncomingRecord:
    """Return a record of the topic `in`."""
    return IncomingRecord("in", 0, offset, timestamp, key, value, headers, NO_ARRIVAL)


class OneByOneTask(Task):
    """A task that processes records, and forwards updates, one by one."""

    def process_all(self, records: Sequence[IncomingRecord]) -> Sequence[int]:
        """Process records one by one."""
        return self.process_each(records)

    def columns_forward(self, node: str, forward: TableForward) -> None:
        """Return no function that forwards many updates."""

    def updates_forward(self, node: str, forward: TableForward) -> UpdatesForward:
        """Return a function that forwards many updates one by one."""
        del node
        return many_changes(one_by_one(self.isolated(forward)))


class TogetherOnly(Task):
    """A task that refuses to process valid records, and to forward updates, one by one."""

    def process_in_order(self, records: Sequence[IncomingRecord]) -> Sequence[int]:
        """Process records one by one if one of them has an invalid timestamp."""
        if all(0 <= record[3] <= MAX_TIMESTAMP for record in rows_of(records)):
            pytest.fail(f"one by one: {records}")
        return super().process_in_order(records)

    def columns_forward(self, node: str, forward: TableForward) -> UpdatesForward | None:
        """Return what forwards many updates, but none of them alone."""
        del forward
        return super().columns_forward(node, _refuse_update)

    def updates_forward(self, node: str, forward: TableForward) -> UpdatesForward:
        """Return what forwards many updates, but none of them alone."""
        del forward
        return super().updates_forward(node, _refuse_update)

    def as_one_or_each(self, node: str, whole: Callable[[], None], each: Iterable[tuple[Any, Callable[[], None]]]) -> None:
        """Do the whole, but no part alone."""
        super().as_one_or_each(node, whole, ((key, partial(_refuse_update, key)) for key, _ in each))


def _refuse_update(*update: Any) -> None:
    pytest.fail(f"one by one: {update}")


def by_topic(outputs: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return outputs by topic: what is written to different topics has no order."""
    return sorted(outputs, key=itemgetter(0))


def observed(task: Task) -> tuple[Any, ...]:
    """Return the output of a task since the last call, its drops, its times, and the entries of its store `s`."""
    outputs = [output[:5] for output in task.take_output()]
    return by_topic(outputs), task.take_drops(), task.stream_time, task.numbers(), list(task.stores["s"].snapshot())


def record_lists(values: list[str | None]) -> st.SearchStrategy[list[Any]]:
    """Return lists of keys, some of these values, timestamps and headers, as `incoming` takes them."""
    return st.lists(
        st.tuples(
            st.sampled_from(["a", "a", "b", None]),
            st.sampled_from(values),
            st.integers(0, 14) | st.sampled_from([-1, 30, MAX_TIMESTAMP + 1]),
            st.sampled_from([(), (("h", b"1"),)]),
        ),
        min_size=1,
        max_size=16,
    )


def added(text: str, value: str) -> str | None:
    """Return both texts, or delete them."""
    return None if value == "x" else text + value


def added_with_key(key: str, text: str, value: str) -> str | None:
    """Return both texts with the key between them, or delete them."""
    return added(text, key + value)


def checked(text: str) -> str:
    """Return the text. Raises ValueError: it is bad."""
    if text == "bad":
        msg = "bad text"
        raise ValueError(msg)
    return text


def assert_that_the_record_is_named(define: Callable[[TopologyBuilder], None], emit: str = "every-update") -> None:
    """Check that an exception of `checked` names the operator and the record, if it is one of records that come together."""
    values = ["1", "", "2", "bad", "3"]
    records = [incoming(offset, "k", value, 10 + offset) for offset, value in enumerate(values)]
    together, one_by_one = new_task(define, emit=emit), new_task(define, emit=emit)
    with pytest.raises(ValueError, match="bad text") as found:
        together.process_all(records)
    with pytest.raises(ValueError, match="bad text") as expected:
        one_by_one.process_each(records)
    assert found.value.__notes__ == expected.value.__notes__
    assert together.metadata == one_by_one.metadata == RecordMetadata("in", 0, 3, 13, ())
