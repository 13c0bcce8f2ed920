"""Timestamps are whole milliseconds, whatever extractors and processors give."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from eddyline.application.topology import TopologyBuilder
from eddyline.application.topology.processor import Processor, Record
from eddyline.testing import MemoryEngine


def extracted(found: Any) -> MemoryEngine:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=str, timestamp=lambda _record: found).to("out")
    engine = MemoryEngine(builder.build())
    engine.pipe("in", "a", "x", 7)
    return engine


@pytest.mark.parametrize(
    ("found", "timestamp"),
    [
        (1_500, 1_500),
        (1_500.0, 1_500),
        (1_500.9, 1_500),
        (datetime(1970, 1, 1, 0, 0, 1, 500_900, tzinfo=UTC), 1_500),
        (datetime(1970, 1, 1, 1, 0, 1, tzinfo=timezone(timedelta(hours=1))), 1_000),
    ],
)
def test_an_extracted_time_is_in_whole_milliseconds(found: Any, timestamp: int) -> None:
    (output,) = extracted(found).outputs()
    assert output.timestamp == timestamp
    assert type(output.timestamp) is int


@pytest.mark.parametrize("found", [None, -1, -0.5, datetime(1969, 12, 31, tzinfo=UTC)])
def test_a_record_without_a_time_or_before_the_epoch_is_dropped(found: Any) -> None:
    engine = extracted(found)
    assert not engine.outputs()
    assert sum(engine.drops.values()) == 1


@pytest.mark.parametrize("found", ["1970-01-01", True, float("nan"), float("inf"), datetime(1970, 1, 1), (1,)])  # noqa: DTZ001 - refused
def test_what_is_no_time_is_an_error_that_names_the_topic_and_the_value(found: Any) -> None:
    with pytest.raises(TypeError, match=r"the timestamp extractor of topic 'in' returned .*; return the ms since the epoch"):
        extracted(found)


class Restamping(Processor[str, str, str, str]):
    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record.with_timestamp(record.timestamp / 2))  # type: ignore[arg-type] # the mistake


def test_a_processor_forwards_whole_milliseconds() -> None:
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=str).process(Restamping, key=str, value=str, name="op").to("out")
    with pytest.raises(TypeError, match=r"processor 'op' forwards a record with the timestamp 3\.5; pass an int"):
        MemoryEngine(builder.build()).pipe("in", "a", "x", 7)


def test_a_row_for_which_the_selector_returns_none_is_in_no_group() -> None:
    builder = TopologyBuilder()
    rows = builder.table("in", key=str, value=str)
    grouped = rows.group_by(lambda key, value: (value, key) if value != "hidden" else None, key=str, value=str)
    grouped.count(store="groups").to_stream().to("out")
    engine = MemoryEngine(builder.build())
    for value in ("red", "hidden", "blue", "hidden"):
        engine.pipe("in", "a", value, 7)
    assert [(output.key, output.value) for output in engine.outputs()] == [("red", 1), ("red", 0), ("blue", 1), ("blue", 0)]
