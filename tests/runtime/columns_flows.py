"""Flows whose records a task may process by column, and what tests of it share."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import strategies as st

from eddyline import Stream, TopologyBuilder
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, IncomingRecord
from eddyline.application.runtime.plan.combining import combined
from eddyline.application.runtime.plan.options import RunOptions
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology.records import RecordMetadata
from eddyline.application.topology.timestamps import MAX_TIMESTAMP
from tests.adapters.memory.running import built
from tests.runtime.together import by_topic

LATEST = RunOptions(application_id="app", emit="latest")
OPTIONAL_TEXT = st.none() | st.sampled_from(["", "a", "b b", "a b c", "c a"])


def _words(value: str | None) -> Iterable[str]:
    yield from (value or "none").split()


def _pairs(key: str | None, value: str | None) -> Iterable[tuple[str, str | None]]:
    return [(f"{key}{word}", None if word == "b" else word) for word in (value or "").split()]


def first_letter(key: str | None, value: str | None) -> str:
    """Return a key, which is null sometimes; a null key is possible, whatever the types say."""
    return (value or key or "")[:1] or None  # type: ignore[return-value]


def longer(one: str, other: str) -> str:
    return max(one, other, key=lambda text: (len(text), text))


STEPS: dict[str, Callable[[Stream[str, str]], Stream[str, Any]]] = {
    "none": lambda stream: stream,
    "filter": lambda stream: stream.filter(lambda key, value: value != "a" and key != "b"),
    "counted filter": lambda stream: (
        stream.filter(lambda key, value: value != "a" and key != "b", drop_reason="a-or-b")
        .flat_map_values(_words, value=str)
        .filter(lambda _key, value: value != "c", drop_reason="c")
    ),
    "map": lambda stream: stream.map(lambda key, value: (value, key), key=str, value=str),
    "map values": lambda stream: stream.map_values(lambda value: value and value + "!", value=str),
    "map values with key": lambda stream: stream.map_values(lambda key, value: f"{key}{value}", value=str, with_key=True),
    "flat map": lambda stream: stream.flat_map(_pairs, key=str, value=str),
    "flat map values": lambda stream: stream.flat_map_values(_words, value=str),
    "flat map values with key": lambda stream: stream.flat_map_values(
        lambda key, value: [key, value] * len(value or ""), value=str, with_key=True
    ),
    "several": lambda stream: (
        stream.flat_map_values(_words, value=str)
        .filter_not(lambda _key, value: value == "c")
        .map_values(lambda value: None if value == "b" else value * 2, value=str)
    ),
}

AGGREGATIONS: dict[str, Callable[[Any], Any]] = {
    "count": lambda group: group.count(store="s"),
    "reduce": lambda group: group.reduce(longer, merge=longer, store="s"),
    "aggregate": lambda group: group.aggregate(
        str, lambda key, text, value: max(text, key + value), merge=max, with_key=True, value=str, store="s"
    ),
}


def flow(step: str, aggregation: str) -> Callable[[TopologyBuilder], None]:
    def define(builder: TopologyBuilder) -> None:
        group = STEPS[step](builder.stream("in", key=str, value=str)).group_by(first_letter, key=str)
        AGGREGATIONS[aggregation](group).to_stream().to("out")

    return define


def task_of(define: Callable[[TopologyBuilder], None], made: type[Task] = Task, **options: Any) -> Task:
    return made(combined(built(define), LATEST), 0, 0, stores=MemoryStateStores(), emit="latest", **options)


def record(offset: int, key: str | None, value: Any, timestamp: int, headers: Headers = ()) -> IncomingRecord:
    return IncomingRecord("in", 0, offset, timestamp, key, value, headers, NO_ARRIVAL)


def observed(task: Task) -> tuple[Any, ...]:
    return by_topic([output[:5] for output in task.take_output()]), task.take_drops(), task.stream_time, task.numbers()


def assert_alike(together: Task, one_by_one: Task, records: list[IncomingRecord]) -> None:
    """Process records in both ways, commit, and compare what can be observed."""
    if records:
        assert not any(together.process_all(records))
    one_by_one.process_each(records)
    together.commit()
    one_by_one.commit()
    assert observed(together) == observed(one_by_one)


RECORD = st.tuples(
    OPTIONAL_TEXT,
    OPTIONAL_TEXT,
    st.integers(0, 9) | st.sampled_from([-1, MAX_TIMESTAMP, MAX_TIMESTAMP + 1]),
    st.sampled_from([(), (("h", b"1"),)]),
)
RECORDS = st.lists(RECORD, max_size=12)


def error_of(task: Task, records: list[IncomingRecord]) -> tuple[str, list[str], RecordMetadata | None]:
    with pytest.raises(ValueError, match="bad") as raised:
        task.process_all(records)
    return str(raised.value), raised.value.__notes__, task.metadata


def fails_on(bad: str) -> Callable[[str], str]:
    def fail(value: str) -> str:
        if value == bad:
            msg = f"bad {value}"
            raise ValueError(msg)
        return value

    return fail
