"""Records that are piped together: the memory engine does with them what it does with records that are piped one by one."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline.adapters.memory import engine as chunks
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.runtime.input.record_queue import IncomingRecord
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology, TopologyBuilder, hopping
from eddyline.application.topology.processor import FixedKeyProcessor, Record

Piped = tuple[str, Any, Any, int]

RECORDS = st.lists(
    st.tuples(
        st.sampled_from(["orders", "prices", "extra-1", "extra-2"]),
        st.sampled_from([None, "a", "b"]),
        st.integers(0, 9),
        st.integers(0, 60),
    ),
    max_size=30,
)


class Offsets(FixedKeyProcessor[Any, Any, str]):
    """Forwards topic and offset of each record."""

    def process(self, record: Record[Any, Any]) -> None:
        metadata = self.context.record_metadata
        assert metadata is not None
        self.context.forward(record.with_value(f"{metadata.topic} {metadata.offset}"))


def topology() -> Topology:
    builder = TopologyBuilder()
    orders = builder.stream("orders", key=str, value=int)
    prices = builder.table("prices", key=str, value=int, store="prices")
    windows = orders.group_by_key().windowed_by(hopping(10, advance=5, grace=3))
    windows.reduce(lambda left, right: left + right, store="sums").to_stream().to("sums")
    orders.left_join(prices, lambda order, price: f"{order} {price}", value=str).to("priced")
    extra = builder.stream(re.compile("extra-.*"), key=str, value=int)
    orders.merge(extra).process_values(Offsets, value=str).to("offsets")
    return builder.build()


def run(parts: list[list[Piped]], *, together: bool, **options: Any) -> tuple[Any, ...]:
    """Return all that can be asked of an engine after it has processed records."""
    engine = MemoryEngine(topology(), **options)
    for records in parts:
        engine.pipe_all(records if together else iter(records))
    stores = [engine.store(name) for name in ("sums", "prices")]
    return engine.take_outputs(), engine.drops, engine.dropped, stores


def test_records_of_one_task_are_processed_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    process_all = Task.process_all

    def noted(task: Task, records: Sequence[IncomingRecord]) -> Sequence[int]:
        sizes.append(len(records))
        return process_all(task, records)

    monkeypatch.setattr(Task, "process_all", noted)
    engine = MemoryEngine(topology())
    engine.pipe_all([("orders", "a", 1, 0)] * 1_001 + [("prices", "a", 1, 0)] * 2)
    assert sizes == [1_000, 1, 2]


@given(RECORDS, RECORDS)
def test_records_that_are_processed_in_chunks_have_the_same_results(first: list[Piped], second: list[Piped]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "_SIZE", 4)
        for options in ({"emit": "every-update"}, {"emit": "latest"}):
            assert run([first, second], together=True, **options) == run([first, second], together=False, **options)


def test_records_before_one_of_an_unknown_topic_are_processed() -> None:
    engine = MemoryEngine(topology())
    with pytest.raises(LookupError, match="does not read topic 'other'"):
        engine.pipe_all([("extra-1", "a", 1, 0), ("other", "a", 1, 0), ("extra-1", "a", 2, 0)])
    assert [output.value for output in engine.outputs()] == ["extra-1 0"]


def test_the_results_of_records_before_a_failing_one_are_kept() -> None:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=int).map_values(lambda value: 6 // value, value=int).to("out")
    engine = MemoryEngine(builder.build())
    with pytest.raises(ZeroDivisionError):
        engine.pipe_all([("in", "a", 1, 0), ("in", "a", 2, 0), ("in", "a", 0, 0), ("in", "a", 3, 0)])
    assert [output.value for output in engine.outputs()] == [6, 3]
