"""A record that fails is as if it had never been taken, if the exception handlers let the run go on."""

from typing import Any

import pytest

from eddyline.application.runtime.plan.dead_letters import original_headers, reason_in
from eddyline.application.topology import (
    SourceRecord,
    TopologyBuilder,
    hopping,
    join_windows,
    session,
    sliding,
    tumbling,
)
from eddyline.application.topology.exception_handlers import ErrorContext, Response
from eddyline.application.topology.stores import key_value_store
from tests.runtime.failing_flows import Define, Doubling, add, add_in_place, counted, fail_on_bad, letters, run, state
from tests.runtime.hosts import PARTITION, Host, received


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
