"""The memory engine without codecs: partitions, patterns, offsets, handlers and errors."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.application.ports.codec import Codecs
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.exception_handlers import ErrorContext
from eddyline.application.topology.processor import FixedKeyProcessor, Record
from tests.runtime.failing_flows import fail_on_bad


class Positions(FixedKeyProcessor[Any, Any, str]):
    """Forwards partition and offset of each record."""

    def process(self, record: Record[Any, Any]) -> None:
        metadata = self.context.record_metadata
        assert metadata is not None
        self.context.forward(record.with_value(f"{metadata.topic} {metadata.partition} {metadata.offset}"))


def engine(define: Callable[[TopologyBuilder], Any], **options: Any) -> MemoryEngine:
    builder = TopologyBuilder()
    define(builder)
    return MemoryEngine(builder.build(), **options)


def positions(builder: TopologyBuilder, key: Any = str) -> None:
    builder.stream("in", key=key, value=str).process_values(Positions, value=str).to("out")


def values(running: MemoryEngine) -> list[Any]:
    return [output.value for output in running.outputs()]


def test_by_default_a_topic_has_one_partition() -> None:
    running = engine(positions)
    for key in "abcdef":
        running.pipe("in", key, "v", 1)
    assert values(running) == [f"in 0 {offset}" for offset in range(6)]


def test_offsets_continue_after_one_that_is_given() -> None:
    running = engine(positions)
    running.pipe("in", "a", "v", 1, offset=0)
    running.pipe("in", "a", "v", 1, offset=7)
    running.pipe("in", "a", "v", 1)
    assert values(running) == ["in 0 0", "in 0 7", "in 0 8"]


@pytest.mark.parametrize(("key", "data"), [("a", b"a"), (b"a", b"a"), (None, None)])
def test_the_hash_of_the_key_chooses_the_partition_and_records_without_a_key_take_turns(key: Any, data: bytes | None) -> None:
    running = engine(lambda builder: positions(builder, bytes), partitions=7)
    for _ in range(2):
        running.pipe("in", key, "v", 1)
    expected = ["in 0 0", "in 1 0"] if data is None else [f"in {partition_for(data, 7)} {offset}" for offset in (0, 1)]
    assert values(running) == expected


def test_records_without_a_key_take_turns_between_two_partitions() -> None:
    running = engine(positions, partitions=2)
    for _ in range(3):
        running.pipe("in", None, "v", 1)
    assert values(running) == ["in 0 0", "in 1 0", "in 0 1"]


def test_the_keys_of_a_global_table_choose_no_partition() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.global_table("rows", key=float, value=str)
        positions(builder)

    running = engine(define, partitions=5)
    running.pipe("rows", 1.0, "row", 1)
    assert [(row.key, row.value) for row in running.store("rows-store")] == [(1.0, "row")]


@pytest.mark.parametrize("codecs", [None, JsonCodecs()])
def test_keys_of_other_types_choose_partitions_by_their_declared_type(codecs: Codecs | None) -> None:
    running = engine(lambda builder: positions(builder, float), partitions=7, codecs=codecs)
    for key in (1, 1.0, True):
        running.pipe("in", key, "v", 1)
    assert values(running) == [f"in {partition_for(b'1.0', 7)} {offset}" for offset in range(3)]


def test_a_global_table_has_all_keys_in_every_task() -> None:
    def define(builder: TopologyBuilder) -> None:
        table = builder.global_table("rows", key=str, value=str)
        builder.stream("in", key=str, value=str).join(
            table, lambda left, right: f"{left}/{right}", key_selector=lambda _key, value: value, value=str
        ).to("out")

    running = engine(define, partitions=5)
    for key in "ab":
        running.pipe("rows", key, f"row {key}", 1)
    for key in "cdefgh":
        running.pipe("in", key, "a", 2)
    assert values(running) == ["a/row a"] * 6
    assert [(row.key, row.value) for row in running.store("rows-store")] == [("a", "row a"), ("b", "row b")]


def test_topics_that_match_a_pattern_have_as_many_partitions_as_the_pattern_unless_they_are_given() -> None:
    def define(builder: TopologyBuilder) -> None:
        builder.stream(re.compile("in-.*"), key=str, value=str).process_values(Positions, value=str).to("out")

    running = engine(define, partitions={"in-.*": 3, "in-b": 1})
    for topic in ("in-a", "in-b"):
        running.pipe(topic, "k", "v", 1)
    assert values(running) == [f"in-a {partition_for(b'k', 3)} 0", "in-b 0 0"]
    with pytest.raises(LookupError, match="the topology does not read topic 'other'; it reads: /in-"):
        running.pipe("other", "k", "v", 1)


def test_an_unknown_store_is_an_error_with_the_stores() -> None:
    running = engine(lambda builder: builder.stream("in", key=str, value=str).group_by_key().count(store="counts"))
    with pytest.raises(LookupError, match="store 'count' is unknown; this topology has: counts"):
        running.store("count")


def failing(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=str).map_values(fail_on_bad, name="checked").to("out")


def test_by_default_an_exception_ends_the_test() -> None:
    running = engine(failing)
    with pytest.raises(LookupError, match="cannot use bad"):
        running.pipe("in", "k", "bad", 1)
    assert running.failures == []


def test_after_an_exception_that_a_handler_accepts_the_run_goes_on() -> None:
    contexts: list[ErrorContext] = []

    def handle(context: ErrorContext, _error: Exception) -> Any:
        contexts.append(context)
        return "continue"

    running = engine(failing, processing_exception_handler=handle)
    for value in ("a", "bad", "c"):
        running.pipe("in", "k", value, 1)
    assert values(running) == ["a", "c"]
    assert [context.offset for context in contexts] == [1]
    assert [(failure.context.operator, failure.response) for failure in running.failures] == [("checked", "continue")]
