"""Many records that are processed at once, by column, compared with the same records one by one."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import Stream, TopologyBuilder
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.context import NO_TIME
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.columns_path import ColumnsPath
from eddyline.application.runtime.combining import combined
from eddyline.application.runtime.options import RunOptions
from eddyline.application.runtime.record_queue import NO_ARRIVAL, IncomingRecord
from eddyline.application.runtime.task import Task
from eddyline.application.topology.records import RecordMetadata
from eddyline.application.topology.timestamps import MAX_TIMESTAMP
from tests.adapters.memory.running import built, run_of
from tests.runtime.plans import all_records

LATEST = RunOptions(application_id="app", emit="latest")
OPTIONAL_TEXT = st.none() | st.sampled_from(["", "a", "b b", "a b c", "c a"])


def _words(value: str | None) -> Iterable[str]:
    yield from (value or "none").split()


def _pairs(key: str | None, value: str | None) -> Iterable[tuple[str, str | None]]:
    return [(f"{key}{word}", None if word == "b" else word) for word in (value or "").split()]


def _first_letter(key: str | None, value: str | None) -> str:
    """Return a key, which is null sometimes; a null key is possible, whatever the types say."""
    return (value or key or "")[:1] or None  # type: ignore[return-value]


def _longer(one: str, other: str) -> str:
    return max(one, other, key=lambda text: (len(text), text))


STEPS: dict[str, Callable[[Stream[str, str]], Stream[str, Any]]] = {
    "none": lambda stream: stream,
    "filter": lambda stream: stream.filter(lambda key, value: value != "a" and key != "b"),
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
    "reduce": lambda group: group.reduce(_longer, merge=_longer, store="s"),
    "aggregate": lambda group: group.aggregate(
        str, lambda key, text, value: max(text, key + value), merge=max, with_key=True, value=str, store="s"
    ),
}


def _flow(step: str, aggregation: str) -> Callable[[TopologyBuilder], None]:
    def define(builder: TopologyBuilder) -> None:
        group = STEPS[step](builder.stream("in", key=str, value=str)).group_by(_first_letter, key=str)
        AGGREGATIONS[aggregation](group).to_stream().to("out")

    return define


def _task(define: Callable[[TopologyBuilder], None], **options: Any) -> Task:
    return Task(combined(built(define), LATEST), 0, 0, stores=MemoryStateStores(), emit="latest", **options)


def _record(offset: int, key: str | None, value: Any, timestamp: int, headers: Headers = ()) -> IncomingRecord:
    return IncomingRecord("in", 0, offset, timestamp, key, value, headers, NO_ARRIVAL)


def _observed(task: Task) -> tuple[Any, ...]:
    return [output[:5] for output in task.take_output()], task.take_drops(), task.stream_time, task.numbers()


RECORDS = st.lists(
    st.tuples(
        OPTIONAL_TEXT,
        OPTIONAL_TEXT,
        st.integers(0, 9) | st.sampled_from([-1, MAX_TIMESTAMP, MAX_TIMESTAMP + 1]),
        st.sampled_from([(), (("h", b"1"),)]),
    ),
    max_size=12,
)


@pytest.mark.parametrize("step", STEPS)
@given(aggregation=st.sampled_from(sorted(AGGREGATIONS)), batches=st.lists(RECORDS, max_size=3))
def test_records_are_processed_together_as_one_by_one(
    step: str, aggregation: str, batches: list[list[tuple[str | None, str | None, int, Headers]]]
) -> None:
    together, one_by_one = _task(_flow(step, aggregation)), _task(_flow(step, aggregation))
    for batch in batches:
        records = [_record(offset, *found) for offset, found in enumerate(batch)]
        if records:
            assert not any(together.process_all(records))
        one_by_one.process_each(records)
        together.commit()
        one_by_one.commit()
        assert _observed(together) == _observed(one_by_one)


@pytest.mark.parametrize("step", STEPS)
def test_the_records_of_stateless_operators_are_processed_together(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task = _task(_flow(step, "count"))
    monkeypatch.setattr(task, "_sources", {})
    task.process_all([_record(0, "k", "a b", 5)])
    assert task.stream_time == 5


@pytest.mark.parametrize("timestamp", [-1, MAX_TIMESTAMP + 1])
def test_an_invalid_timestamp_drops_its_record_alone(timestamp: int) -> None:
    task = _task(_flow("none", "count"))
    task.process_all([_record(0, "k", "a", 1), _record(1, "k", "a", timestamp), _record(2, "k", "a", MAX_TIMESTAMP)])
    task.commit()
    assert [(output.key, output.value, output.timestamp) for output in task.take_output()] == [("a", 2, MAX_TIMESTAMP)]
    assert sum(task.take_drops().values()) == 1


def _error_of(task: Task, records: list[IncomingRecord]) -> tuple[str, list[str], RecordMetadata | None]:
    with pytest.raises(ValueError, match="bad") as raised:
        task.process_all(records)
    return str(raised.value), raised.value.__notes__, task.metadata


def _fails_on(bad: str) -> Callable[[str], str]:
    def fail(value: str) -> str:
        if value == bad:
            msg = f"bad {value}"
            raise ValueError(msg)
        return value

    return fail


def _failing_mapper(builder: TopologyBuilder) -> None:
    words = builder.stream("in", key=str, value=str).flat_map_values(str.split, value=str)
    words.map_values(_fails_on("d"), value=str).group_by(_first_letter, key=str).count(store="s")


def _failing_adder(builder: TopologyBuilder) -> None:
    words = builder.stream("in", key=str, value=str).flat_map_values(str.split, value=str)
    words.group_by(lambda _key, _value: "k", key=str).reduce(lambda _one, other: _fails_on("d")(other), merge=_longer, store="s")


def _failing_adder_with_key(builder: TopologyBuilder) -> None:
    words = builder.stream("in", key=str, value=str).flat_map_values(str.split, value=str)
    words.group_by(lambda _key, _value: "k", key=str).aggregate(
        str, lambda _key, _text, value: _fails_on("d")(value), merge=_longer, with_key=True, value=str, store="s"
    )


@pytest.mark.parametrize("define", [_failing_mapper, _failing_adder, _failing_adder_with_key])
def test_an_exception_names_the_operator_and_the_record(define: Callable[[TopologyBuilder], None]) -> None:
    records = [
        _record(4, None, "a b", 1),
        _record(5, None, "", 2),
        _record(6, None, "a c d e", 3, (("h", b""),)),
        _record(7, None, "a", 4),
    ]
    found = _error_of(_task(define), records)
    one_by_one = _task(define)
    with pytest.raises(ValueError, match="bad d") as raised:
        one_by_one.process_each(records)
    assert found == ("bad d", raised.value.__notes__, RecordMetadata("in", 0, 6, 3, (("h", b""),)))
    assert one_by_one.metadata == found[2]


def test_an_exception_names_the_last_record_if_the_functions_do_not_return_the_same_again() -> None:
    calls: list[str] = []

    def once(value: str) -> list[str]:
        calls.append(value)
        if len(calls) > 2:
            msg = "called again"
            raise RuntimeError(msg)
        return [value]

    def define(builder: TopologyBuilder) -> None:
        words = builder.stream("in", key=str, value=str).flat_map_values(once, value=str)
        words.group_by(lambda _key, _value: "k", key=str).reduce(
            lambda _one, other: _fails_on("d")(other), merge=_longer, store="s"
        )

    error, _, metadata = _error_of(_task(define), [_record(0, None, "a", 1), _record(1, None, "d", 2)])
    assert (error, metadata) == ("bad d", RecordMetadata("in", 0, 1, 2, ()))


def _dropping_filter(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str).filter(lambda _key, value: value == "a", drop_reason="other")
    stream.group_by(_first_letter, key=str).count(store="s")


def _peek(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=str).peek(print).group_by(_first_letter, key=str).count(store="s")


def _two_children(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str)
    stream.group_by(_first_letter, key=str).count(store="s")
    stream.to("copy")


def _two_sources(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str).merge(builder.stream("other", key=str, value=str))
    stream.group_by(_first_letter, key=str).count(store="s")


def _extractor(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str, timestamp=lambda record: record.timestamp)
    stream.group_by(_first_letter, key=str).count(store="s")


def _path(define: Callable[[TopologyBuilder], None]) -> ColumnsPath | None:
    topology = combined(built(define), LATEST)
    nodes = [topology.by_name[name] for name in topology.sub_topologies[0].nodes]
    (end,) = (node.name for node in nodes if node.name.endswith("-combine"))
    return ColumnsPath.of(nodes, {end: list})  # type: ignore[dict-item] # never called


def test_a_path_has_a_step_for_each_stateless_operator() -> None:
    path = _path(_flow("several", "count"))
    assert path is not None
    assert len(path.steps) == 4


@pytest.mark.parametrize("define", [_dropping_filter, _peek, _two_children, _two_sources, _extractor])
def test_other_records_are_processed_one_by_one(define: Callable[[TopologyBuilder], None]) -> None:
    assert _path(define) is None


@pytest.mark.parametrize("options", [{"keep_dropped": True}, {"count_by_node": True}])
def test_what_is_noted_of_each_record_needs_them_one_by_one(options: dict[str, Any]) -> None:
    task = _task(_flow("none", "count"), **options)
    task.process_all([_record(3, "k", None, 1), _record(4, "k", "a", 2)])
    if "keep_dropped" in options:
        assert [found.source for found in task.take_dropped()] == [RecordMetadata("in", 0, 3, 1, ())]
    else:
        assert task.take_processed()["s-count-combine"] == 2
    assert task.stream_time != NO_TIME


@pytest.mark.parametrize("batch", [1, 2, 1_000])
def test_a_run_counts_what_the_operators_forward(batch: int) -> None:
    log = MemoryEventLog()
    log.create_topic("in", 2)
    for number in range(600):
        log.append("in", b"k", b"a b c a", number, partition=number % 2)
    run_of(built(_flow("flat map values", "count")), log, emit="latest", max_batch_records=batch).run_available_now()
    assert {record.key: record.value for record in all_records(log, "out")} == {b"a": b"1200", b"b": b"600", b"c": b"600"}
