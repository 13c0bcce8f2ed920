"""A record that fails is as if it had never been taken, if the exception handlers let the run go on."""

from collections.abc import Callable
from typing import Any

import pytest

from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.dead_letters import original_headers, reason_in
from eddyline.application.topology import (
    SourceRecord,
    TopologyBuilder,
    hopping,
    join_windows,
    on_window_close,
    session,
    sliding,
    tumbling,
)
from eddyline.application.topology.exception_handlers import ErrorContext, Response
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.stores import custom_store, key_value_store
from tests.runtime.hosts import PARTITION, Host, received

LETTERS = "app-dead-letters"
Define = Callable[[TopologyBuilder], object]


def fail_on_bad(value: Any) -> Any:
    if "bad" in str(value):
        raise LookupError(f"cannot use {value}")
    return value


def add(total: list[str], value: str) -> list[str]:
    return [*total, value]


def none() -> Any:
    return None


def set_of_bad(_: Any, value: str) -> Any:
    return {1, 2} if value == "bad" else value


def add_in_place(total: list[str], value: str) -> list[str]:
    total.append(value)
    return total


def counted(builder: TopologyBuilder) -> None:
    """Aggregate, then fail downstream of the store."""
    counts = builder.stream("in", key=str, value=str).group_by_key().aggregate(list, add, value=list[str], store="values")
    counts.to_stream().map_values(fail_on_bad, name="checked").to("out")


def state(host: Host) -> dict[str, list[Any]]:
    return {name: list(store.snapshot()) for name, store in host.host.task.stores.items()} | {
        "stream time": [host.host.task.stream_time]
    }


def run(define: Define, *values: str, timestamps: tuple[int, ...] = (), **options: Any) -> Host:
    host = Host(define, **options)
    for number, value in enumerate(values):
        host.append("in", value.encode(), timestamps[number] if timestamps else number, headers=(("trace", b"x"),))
    host.run(*host.all_of("in"))
    return host


def letters(host: Host) -> list[SinkRecord]:
    return [sent.record for sent in host.outlet.sent if sent.record.topic == LETTERS]


@pytest.mark.parametrize("response", ["continue", "dead-letter"])
def test_the_run_goes_on_as_if_the_record_had_never_been_taken(response: Response) -> None:
    host = run(counted, "a", "bad", "c", processing_exception_handler=response)
    without = run(counted, "a", "c", timestamps=(0, 2))
    assert host.out == without.out == [b'["a"]', b'["a","c"]']
    assert state(host) == state(without)
    assert dict(host.host.report().drops) == {("checked", "processing-error"): 1}
    assert len(letters(host)) == (response == "dead-letter")


def test_the_dead_letter_has_the_raw_record_and_the_reason_in_headers() -> None:
    host = run(counted, "a", "bad", processing_exception_handler="dead-letter")
    (letter,) = letters(host)
    assert (letter.key, letter.value, letter.timestamp) == (b"k", b"bad", 1)
    assert original_headers(letter.headers) == (("trace", b"x"),)
    reason = reason_in(letter.headers)
    assert (reason.exception, reason.message) == ("LookupError", "\"cannot use ['a', 'bad']\"".strip('"'))
    assert (reason.topic, reason.partition, reason.offset, reason.operator) == ("in", PARTITION, 1, "checked")
    assert "operator 'checked' of task 0_1, record in-1@1, key 'k', event time 1970-01-01T00:00:00.001Z" in reason.stacktrace
    assert dict(letter.headers)["__streams.errors.task"] == b"0_1"
    assert dict(letter.headers)["__streams.errors.timestamp"] == b"1"


def test_by_default_the_exception_ends_the_run_and_a_note_names_record_and_setting() -> None:
    with pytest.raises(LookupError) as raised:
        run(counted, "a", "bad", "c")
    (note,) = raised.value.__notes__
    assert note == (
        "operator 'checked' of task 0_1, record in-1@1, key 'k', event time 1970-01-01T00:00:00.001Z; "
        "to go on without such records, set processing.exception.handler to 'continue' or 'dead-letter'"
    )


def test_a_function_chooses_the_response_from_context_and_exception() -> None:
    seen: list[tuple[ErrorContext, Exception]] = []

    def choose(context: ErrorContext, error: Exception) -> Response:
        seen.append((context, error))
        return "continue" if context.offset == 1 else "fail"

    with pytest.raises(LookupError, match="cannot use"):
        run(counted, "a", "bad1", "c", "bad2", processing_exception_handler=choose)
    context, error = seen[0]
    assert context == ErrorContext("checked", "0_1", "in", PARTITION, 1, 1, "k", (("trace", b"x"),))
    assert isinstance(error, LookupError)
    assert len(seen) == 2


def test_a_function_that_returns_no_response_ends_the_run() -> None:
    with pytest.raises(ValueError, match=r"returned 'skip'; return one of: 'fail', 'continue', 'dead-letter'"):
        run(counted, "bad", processing_exception_handler=lambda _context, _error: "skip")


def test_an_aggregate_that_is_changed_in_place_is_undone_too() -> None:
    def define(builder: TopologyBuilder) -> None:
        grouped = builder.stream("in", key=str, value=str).group_by_key()
        grouped.aggregate(list, add_in_place, value=list[str], store="values").to_stream().map_values(fail_on_bad).to("out")

    host = run(define, "a", "bad", "c", processing_exception_handler="continue")
    assert host.out == [b'["a"]', b'["a","c"]']


class Doubling(Processor[str, str, str, str]):
    """Counts records in a store and in a deferred punctuation, forwards each twice, and fails in between."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self.store = context.state_store("seen")

    def process(self, record: Record[str, str]) -> None:
        self.store.put(record.key, (self.store.get(record.key) or 0) + 1)
        self.store.put_if_absent(record.value, 1)
        self.context.forward(record)
        fail_on_bad(record.value)
        self.context.forward(record.with_value(record.value.upper()))
        self.store.delete(record.value)


def doubled(builder: TopologyBuilder) -> None:
    builder.add_state_store(key_value_store("seen", key=str, value=int))
    builder.stream("in", key=str, value=str).process(Doubling, stores=["seen"], name="doubling").to("out")


def windowed(windows: Any, **kind: Any) -> Define:
    def define(builder: TopologyBuilder) -> None:
        grouped = builder.stream("in", key=str, value=str).group_by_key()
        table = grouped.windowed_by(windows, **kind).aggregate(list, add, value=list[str], store="windows")
        table.to_stream().map_values(fail_on_bad, name="checked").map(lambda key, value: (key.key, value)).to("out")

    return define


def sessions(builder: TopologyBuilder) -> None:
    grouped = builder.stream("in", key=str, value=str).group_by_key().windowed_by(session(5, grace=3))
    table = grouped.aggregate(list, add, merge=lambda one, other: one + other, value=list[str], store="windows")
    table.to_stream().map_values(fail_on_bad, name="checked").map(lambda key, value: (key.key, value)).to("out")


def rekeyed_join(builder: TopologyBuilder) -> None:
    left = builder.stream("in", key=str, value=str)
    joined = left.outer_join(
        left.filter(lambda _, value: value != "a"),
        lambda one, two: f"{one}+{two}",
        windows=join_windows(before=3, after=3, grace=0),
    )
    joined.map_values(fail_on_bad, name="checked").to("out")


@pytest.mark.parametrize(
    "define",
    [
        counted,
        doubled,
        windowed(tumbling(2, grace=0)),
        windowed(hopping(6, advance=2, grace=1)),
        windowed(sliding(3, grace=2)),
        sessions,
        rekeyed_join,
    ],
)
def test_what_any_operator_has_changed_is_undone(define: Define) -> None:
    values = ("a", "b", "bad1", "c", "bad2", "bad3", "d", "e")
    timestamps = (0, 3, 50, 4, 5, 1, 9, 12)
    host = run(define, *values, timestamps=timestamps, processing_exception_handler="continue")
    good = [(value, at) for value, at in zip(values, timestamps, strict=True) if "bad" not in value]
    without = run(define, *(value for value, _ in good), timestamps=tuple(at for _, at in good))
    assert host.out == without.out
    assert state(host) == state(without)
    host.host.task.drain_changes()
    assert sum(host.host.report().drops.values()) - sum(without.host.report().drops.values()) == 3


def test_an_exception_of_a_timestamp_extractor_names_the_source_node() -> None:
    def extract(record: SourceRecord) -> int:
        fail_on_bad(record.value)
        return record.timestamp

    def define(builder: TopologyBuilder) -> None:
        stream = builder.stream("in", key=str, value=str, timestamp=extract, name="read")
        stream.merge(builder.stream("other", key=str, value=str)).to("out")

    host = Host(define, processing_exception_handler="dead-letter")
    for value in (b"a", b"bad", b"c"):
        host.append("in", value, 5)
    host.append("other", b"o", 1)
    assert sorted(value or b"" for value in host.run(*host.all_of("in", "other"))) == [b"a", b"c", b"o"]
    assert [reason_in(letter.headers).operator for letter in letters(host)] == ["read"]


def test_a_record_after_a_repartition_is_written_as_it_was_received() -> None:
    def define(builder: TopologyBuilder) -> None:
        moved = builder.stream("in", key=str, value=str).repartition(name="moved")
        moved.map_values(fail_on_bad, name="checked").to("out")

    host = Host(define, sub_topology=1, processing_exception_handler="dead-letter")
    records = {("moved-repartition", 0): [received(b"a", 1), received(b"bad", 2)]}
    assert host.run(repartitioned=records) == [b'"a"']
    (letter,) = letters(host)
    assert (letter.key, letter.value, reason_in(letter.headers).topic) == (b"k", b'"bad"', "app-moved-repartition")


class Ticking(Processor[str, str, str, str]):
    """Fails in every second punctuation, after it has changed its store and forwarded a record."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self.store = context.state_store("ticks")
        context.schedule(10, PunctuationType.STREAM_TIME, self.tick)

    def process(self, record: Record[str, str]) -> None:
        self.context.forward(record)

    def tick(self, now: int) -> None:
        self.store.put("last", now)
        self.context.forward(Record("tick", str(now), now))
        if now % 20:
            raise LookupError(f"at {now}")


def ticking(builder: TopologyBuilder) -> None:
    builder.add_state_store(key_value_store("ticks", key=str, value=int))
    builder.stream("in", key=str, value=str).process(Ticking, stores=["ticks"], name="ticking").to("out")


def test_a_punctuation_that_fails_is_undone_and_the_record_is_processed() -> None:
    host = run(ticking, "a", "b", "c", "d", timestamps=(0, 10, 15, 20), processing_exception_handler="dead-letter")
    assert host.out == [b'"a"', b'"0"', b'"b"', b'"c"', b'"d"', b'"20"']
    (letter,) = letters(host)
    reason = reason_in(letter.headers)
    assert (letter.key, letter.value, letter.timestamp) == (None, None, 1_000)
    assert (reason.message, reason.operator, reason.topic, reason.offset) == ("at 10", "ticking", "", None)
    assert state(host)["ticks"] == [("last", 20)]


def test_a_punctuation_that_ends_the_run_names_the_operator() -> None:
    with pytest.raises(LookupError) as raised:
        run(ticking, "a", "b", timestamps=(0, 10))
    assert raised.value.__notes__[0].startswith("operator 'ticking' of task 0_1, no record")


@pytest.mark.parametrize("handler", ["fail", "continue"])
def test_a_result_that_a_closing_window_emits_fails_by_itself(handler: Response) -> None:
    def define(builder: TopologyBuilder) -> None:
        grouped = builder.stream("in", key=str, value=str).group_by_key()
        table = grouped.windowed_by(tumbling(2, grace=0), emit_strategy=on_window_close()).reduce(lambda _, new: new)
        table.to_stream().map(lambda key, value: (key.key, fail_on_bad(value)), name="checked").to("out")

    values, timestamps = ("a", "bad", "c", "d"), (0, 2, 4, 6)
    if handler == "fail":
        with pytest.raises(LookupError) as raised:
            run(define, *values, timestamps=timestamps)
        assert "operator 'checked'" in raised.value.__notes__[0]
        return
    host = run(define, *values, timestamps=timestamps, processing_exception_handler=handler)
    assert host.out == [b'"a"', b'"c"']
    assert dict(host.host.report().drops) == {("checked", "processing-error"): 1}


def test_an_update_that_fails_at_the_commit_is_left_out() -> None:
    def define(builder: TopologyBuilder) -> None:
        table = builder.stream("in", key=str, value=str).group_by(lambda _, value: value, key=str).count()
        table.to_stream().map_values(lambda key, count: (fail_on_bad(key), count)[1], with_key=True, name="checked").to("out")

    host = Host(define, sub_topology=1, processing_exception_handler="dead-letter", emit="latest")
    topic = next(iter(host.host._plan.readers))  # noqa: SLF001 - the name of the repartition topic
    keyed = [received(value, 1)._replace(topic=topic, key=value) for value in (b"a", b"bad", b"c")]
    assert host.run(repartitioned={(topic, 0): keyed}) == [b"1", b"1"]
    assert [reason_in(letter.headers).operator for letter in letters(host)] == ["checked"]


# --- production -------------------------------------------------------------------------------------------------------


def unencodable(builder: TopologyBuilder) -> None:
    counts = builder.stream("in", key=str, value=str).group_by_key().aggregate(list, add, value=list[str], store="values")
    stream = counts.to_stream()
    stream.map_values(len).to("sizes", name="sizes")
    stream.map_values(lambda values: object() if "bad" in values else values).to("out", name="results")


def test_a_result_that_cannot_be_encoded_undoes_its_record() -> None:
    host = run(unencodable, "a", "bad", "c", production_exception_handler="dead-letter")
    assert host.out == [b'["a"]', b'["a","c"]']
    assert host.outlet.values("sizes") == [b"1", b"2"]
    (letter,) = letters(host)
    reason = reason_in(letter.headers)
    assert (letter.value, reason.exception, reason.operator, reason.offset) == (b"bad", "CodecError", "results", 1)
    assert dict(host.host.report().drops) == {("results", "production-error"): 1}


@pytest.mark.parametrize("options", [{}, {"processing_exception_handler": "continue"}])
def test_a_result_that_cannot_be_encoded_ends_the_run_by_default_and_the_note_names_record_and_setting(options: Any) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the message is that of the codec
        run(unencodable, "a", "bad", "c", **options)
    (note,) = raised.value.__notes__
    assert note.startswith("operator 'results' of task 0_1, record in-1@1, key 'k', event time 1970-01-01T00:00:00.001Z; ")
    assert "production.exception.handler" in note


@pytest.mark.parametrize("partition", [7, -1])
def test_a_partitioner_that_fails_or_returns_no_partition_is_a_production_error(partition: int) -> None:
    def choose(_key: str, value: str, _partitions: int) -> int:
        fail_on_bad(value if value != "bad" else "bad")
        return partition if value == "wrong" else 0

    def define(builder: TopologyBuilder) -> None:
        builder.stream("in", key=str, value=str).to("out", partitioner=choose)

    host = run(define, "a", "bad", "wrong", "c", production_exception_handler="continue")
    assert host.out == [b"a", b"c"]


def test_state_that_cannot_be_encoded_is_an_error_of_the_record() -> None:
    def define(builder: TopologyBuilder) -> None:
        grouped = builder.stream("in", key=str, value=str).group_by_key()
        grouped.aggregate(none, set_of_bad, value=Any, store="any").to_stream().to("out")

    host = run(define, "a", "bad", "c", processing_exception_handler="dead-letter", production_exception_handler="continue")
    assert host.out == [b'"a"', b'"c"']
    assert [letter.value for letter in letters(host)] == [b"bad"]


def test_a_custom_store_that_is_no_key_value_store_needs_the_handlers_fail() -> None:
    class Custom:
        name = "mine"

    def define(builder: TopologyBuilder) -> None:
        builder.add_state_store(custom_store("seen", Custom, key=str, value=int))
        builder.stream("in", key=str, value=str).process(Doubling, stores=["seen"]).to("out")

    with pytest.raises(TypeError, match="the changes of the custom store 'mine' cannot be undone"):
        Host(define, processing_exception_handler="continue")
