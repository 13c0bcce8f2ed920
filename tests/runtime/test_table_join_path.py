"""Many records of a stream and of tables that are joined at once, compared with the same records one by one."""

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eddyline import Stream, TopologyBuilder
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.application.operators.columns import RecordColumns
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.input.incoming_columns import IncomingColumns
from eddyline.application.runtime.input.partition_group import chunks_in_order
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, IncomingRecord, RecordQueue
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology.records import RecordMetadata
from eddyline.application.topology.timestamps import MAX_TIMESTAMP
from tests.adapters.memory.running import built, run_of
from tests.runtime.plans import all_records
from tests.runtime.together import TogetherOnly


def _both(value: str, other: str | None) -> str:
    return f"{value}{other}"


def _all_three(key: str, value: str, other: str | None) -> str | None:
    return None if value == other else f"{key}{value}{other}"


def _joined(stream: Stream[str, Any], table: Any, kind: str, **options: Any) -> Stream[str, Any]:
    join: Any = stream.left_join if kind == "left" else stream.join
    return join(table, _both, value=str, **options)  # type: ignore[no-any-return] # it is a stream


def _table(builder: TopologyBuilder, topic: str = "t") -> Any:
    return builder.table(topic, key=str, value=str, store=f"{topic}-store")


def _simple(builder: TopologyBuilder, kind: str) -> None:
    _joined(builder.stream("in", key=str, value=str), _table(builder), kind).to("out")


def _with_key(builder: TopologyBuilder, kind: str) -> None:
    stream, table = builder.stream("in", key=str, value=str), _table(builder)
    join: Any = stream.left_join if kind == "left" else stream.join
    join(table, _all_three, value=str, with_key=True).to("out")


def _repeated(value: str) -> Sequence[Any]:
    repeated: dict[str, Sequence[Any]] = {"1": (), "y": ("y", None)}
    return repeated.get(value, (value, value + "!"))


def _around(builder: TopologyBuilder, kind: str) -> None:
    stream = builder.stream("in", key=str, value=str).filter(lambda _key, value: value not in {"x", None})
    stream = stream.flat_map_values(_repeated, value=str)
    found = _joined(stream, _table(builder), kind).filter_not(lambda _key, value: value.startswith("y"))
    found.map(lambda key, value: (value, key), key=str, value=str).to("out")


def _two_tables(builder: TopologyBuilder, kind: str) -> None:
    one, other = _table(builder), _table(builder, "u")
    _joined(_joined(builder.stream("in", key=str, value=str), one, kind, name="j"), other, "left", name="k").to("out")


def _one_table_twice(builder: TopologyBuilder, kind: str) -> None:
    table = _table(builder)
    _joined(_joined(builder.stream("in", key=str, value=str), table, kind, name="j"), table, "left", name="k").to("out")


def _counted(builder: TopologyBuilder, kind: str) -> None:
    found = _joined(builder.stream("in", key=str, value=str), _table(builder), kind)
    found.group_by_key().count(store="s").to_stream().to("out")


def _global_table(builder: TopologyBuilder, kind: str) -> None:
    table = builder.global_table("t", key=str, value=str, store="t-store")
    stream = builder.stream("in", key=str, value=str)
    _joined(stream, table, kind, key_selector=lambda key, value: None if value == "x" else key).to("out")


def _mutable(builder: TopologyBuilder, kind: str) -> None:
    stream, table = builder.stream("in", key=str, value=str), _table(builder)
    join: Any = stream.left_join if kind == "left" else stream.join
    join(table, lambda value, other: [value, other], value=list[str]).to("out")


FLOWS = (_simple, _with_key, _around, _two_tables, _one_table_twice, _counted, _global_table, _mutable)
KINDS = pytest.mark.parametrize("kind", ["left", "inner"])
KEYS = st.sampled_from(["a", "a", "b", "c"])
VALUES = st.sampled_from(["1", "2", "x", "y"])
HEADERS = st.sampled_from([(), (("h", b"1"),)])
TOPICS = st.sampled_from(["in", "in", "t", "u"])
USUAL = st.tuples(TOPICS, KEYS, VALUES | st.none(), st.integers(0, 9), HEADERS)
RECORDS = st.lists(USUAL, max_size=16) | st.lists(
    st.tuples(
        TOPICS,
        st.none() | KEYS,
        st.none() | VALUES,
        st.integers(0, 9) | st.sampled_from([-1, MAX_TIMESTAMP, MAX_TIMESTAMP + 1]),
        HEADERS,
    ),
    max_size=12,
)


def _task(define: Callable[[TopologyBuilder], None], **options: Any) -> Task:
    return Task(built(define), 0, 0, stores=MemoryStateStores(), **options)


def _record(topic: str, offset: int, key: Any, value: Any, timestamp: int, headers: Headers = ()) -> IncomingRecord:
    return IncomingRecord(topic, 0, offset, timestamp, key, value, headers, NO_ARRIVAL)


def _observed(task: Task) -> tuple[Any, ...]:
    outputs = [output[:5] for output in task.take_output()]
    stores = {name: list(store.snapshot()) for name, store in task.stores.items()}
    return outputs, task.take_drops(), task.stream_time, task.numbers(), stores, task.drain_changes()


def _in_columns(records: Sequence[IncomingRecord]) -> Iterator[Sequence[IncomingRecord]]:
    """Yield records as a task takes them from queues of columns, ordered by their offsets."""
    by_topic: dict[str, list[IncomingRecord]] = {}
    for record in records:
        by_topic.setdefault(record.topic, []).append(record)
    queues = []
    for topic, own in by_topic.items():
        _, _, offsets, timestamps, keys, values, headers, arrivals = zip(*own, strict=True)
        columns = IncomingColumns(topic, 0, offsets, RecordColumns(keys, values, timestamps, headers), arrivals)
        queues.append(RecordQueue(iter([columns])))
    return chunks_in_order(queues, attrgetter("offset"))


@KINDS
@pytest.mark.parametrize("flow", FLOWS)
@given(batches=st.lists(RECORDS, max_size=3), emit=st.sampled_from(["latest", "every-update"]), columns=st.booleans())
def test_records_are_joined_together_as_one_by_one(
    flow: Any, kind: str, batches: list[list[Any]], emit: str, *, columns: bool
) -> None:
    def define(builder: TopologyBuilder) -> None:
        flow(builder, kind)

    together, one_by_one = _task(define, emit=emit), _task(define, emit=emit)
    topics = set(together.topics)
    for batch in batches:
        records = [_record(topic, offset, *found) for offset, (topic, *found) in enumerate(batch) if topic in topics]
        for chunk in _in_columns(records) if columns else [records]:
            together.process_all(chunk)
        one_by_one.process_each(records)
        for task in (together, one_by_one):
            task.commit()
        assert _observed(together) == _observed(one_by_one)


@KINDS
@pytest.mark.parametrize("flow", FLOWS)
def test_records_of_stream_and_tables_are_processed_together(flow: Any, kind: str) -> None:
    topology = built(lambda builder: flow(builder, kind))
    together, one_by_one = (made(topology, 0, 0, stores=MemoryStateStores(), emit="latest") for made in (TogetherOnly, Task))
    tables = () if flow is _global_table else ("in", "t", "in", "t")
    records = [_record(topic, n, "k", str(n), n) for n, topic in enumerate([*tables, "in", "in", "in", "in"])]
    together.process_all(records)
    one_by_one.process_each(records)
    for task in (together, one_by_one):
        task.commit()
    assert _observed(together) == _observed(one_by_one)


def test_each_record_is_joined_with_the_row_of_its_time() -> None:
    task = _task(lambda builder: _simple(builder, "left"))
    topics = ["in", "t", "in", "t", "t", "in", "in"]
    task.process_all([_record(topic, n, "k", None if n == 4 else str(n), n) for n, topic in enumerate(topics)])
    assert [output.value for output in task.take_output()] == ["0None", "21", "5None", "6None"]


@pytest.mark.parametrize("key", [True, 1.0, (1,)])
def test_keys_that_a_store_may_distinguish_although_they_are_equal_are_looked_up_one_by_one(key: object) -> None:
    records = [_record(topic, n, key, str(n), n) for n, topic in enumerate(["t", "in", "in", "in"])]
    together, one_by_one = (_task(lambda builder: _simple(builder, "left")) for _ in range(2))
    together.process_all(records)
    one_by_one.process_each(records)
    assert _observed(together) == _observed(one_by_one)


def _fail_on_three(value: str, *_other: Any) -> str:
    if value == "3":
        msg = "bad 3"
        raise ValueError(msg)
    return value


def _failing_joiner(builder: TopologyBuilder) -> None:
    builder.stream("in", key=str, value=str).left_join(_table(builder), _fail_on_three, value=str).to("out")


def _failing_mapper(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str).left_join(_table(builder), lambda value, _other: value, value=str)
    stream.map_values(_fail_on_three, value=str).to("out")


def _failing_adder(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str).left_join(_table(builder), lambda value, _other: value, value=str)
    stream.group_by_key().reduce(lambda _one, other: _fail_on_three(other), store="s")


@pytest.mark.parametrize("define", [_failing_joiner, _failing_mapper, _failing_adder])
def test_an_exception_names_the_operator_and_the_record(define: Callable[[TopologyBuilder], None]) -> None:
    records = [_record(topic, n, "k", str(n), n, (("h", b""),)) for n, topic in enumerate(["t", "in", "in", "in", "t", "in"])]
    notes = []
    for process in ("process_all", "process_each"):
        task = _task(define, emit="latest")
        with pytest.raises(ValueError, match="bad 3") as raised:
            getattr(task, process)(records)
        assert task.metadata == RecordMetadata("in", 0, 3, 3, (("h", b""),))
        notes.append(raised.value.__notes__)
    assert notes[0] == notes[1]


def test_an_exception_of_the_store_of_a_table_names_the_table_and_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    stores = MemoryStateStores()
    create = stores.key_value

    def failing_store(*arguments: Any, **types: Any) -> Any:
        store: Any = create(*arguments, **types)
        monkeypatch.setattr(store, "put", lambda _key, row: _fail_on_three(row[0]))
        return store

    monkeypatch.setattr(stores, "key_value", failing_store)
    task = Task(built(lambda builder: _simple(builder, "left")), 0, 0, stores=stores)
    with pytest.raises(ValueError, match="bad 3") as raised:
        task.process_all([_record(topic, n, "k", str(n), n) for n, topic in enumerate(["in", "in", "t", "t", "in"])])
    assert task.metadata == RecordMetadata("t", 0, 3, 3, ())
    assert raised.value.__notes__[0].startswith("operator 't-table' of task 0_0, record t-0@3, key 'k'")


def _extractor(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str, timestamp=lambda record: record.timestamp)
    _joined(stream, _table(builder), "left").to("out")


def _forwarded_table(builder: TopologyBuilder) -> None:
    table = _table(builder)
    _joined(builder.stream("in", key=str, value=str), table, "left").to("out")
    table.to_stream().to("copy")


def _two_streams(builder: TopologyBuilder) -> None:
    table = _table(builder)
    _joined(builder.stream("in", key=str, value=str), table, "left", name="j").to("out")
    _joined(builder.stream("other", key=str, value=str), table, "left", name="k").to("copy")


def _filtered_table(builder: TopologyBuilder) -> None:
    table = _table(builder).filter(lambda _key, value: value != "x")
    _joined(builder.stream("in", key=str, value=str), table, "left").to("out")


def _table_of_the_stream(builder: TopologyBuilder) -> None:
    stream = builder.stream("in", key=str, value=str)
    _joined(stream, stream.to_table(store="t-store"), "left").to("out")


def _table_of_some_records(builder: TopologyBuilder) -> None:
    table = builder.stream("t", key=str, value=str).filter(lambda _key, value: value != "x").to_table(store="t-store")
    _joined(builder.stream("in", key=str, value=str), table, "left").to("out")


def _chosen_topic(builder: TopologyBuilder) -> None:
    found = _joined(builder.stream("in", key=str, value=str), _table(builder), "left")
    found.to(lambda _key, value: value)


def _peek(builder: TopologyBuilder) -> None:
    _joined(builder.stream("in", key=str, value=str), _table(builder), "left").peek(print).to("out")


@pytest.mark.parametrize(
    ("define", "together"),
    [
        (_extractor, {"t"}),
        (_forwarded_table, {"in"}),
        (_two_streams, {"in", "other", "t"}),
        (_filtered_table, set()),
        (_table_of_the_stream, set()),
        (_table_of_some_records, {"t"}),
        (_chosen_topic, {"t"}),
        (_peek, {"in", "t"}),
    ],
)
def test_other_records_are_processed_one_by_one(define: Callable[[TopologyBuilder], None], together: set[str]) -> None:
    assert set(_task(define).together) == together


@pytest.mark.parametrize("batch", [1, 2, 1_000])
def test_a_run_joins_the_records_of_all_batches(batch: int) -> None:
    log = MemoryEventLog()
    for topic in ("in", "t"):
        log.create_topic(topic, 2)
    for number in range(600):
        topic = "t" if number % 3 == 0 else "in"
        log.append(topic, b"k%d" % (number % 5), b"%d" % number, number, partition=number % 2)
    run_of(built(lambda builder: _simple(builder, "inner")), log, max_batch_records=batch).run_available_now()
    found = sorted(record.value or b"" for record in all_records(log, "out"))
    tables: dict[tuple[int, int], int] = {}
    expected = []
    for number in range(600):
        place = number % 2, number % 5
        if number % 3 == 0:
            tables[place] = number
        elif place in tables:
            expected.append(b"%d%d" % (number, tables[place]))
    assert found == sorted(expected)
