"""Exceptions of punctuations, closing windows, commits, encoders, partitioners and stores."""

from typing import Any

import pytest

from eddyline.application.runtime.plan.dead_letters import reason_in
from eddyline.application.topology import (
    TopologyBuilder,
    on_window_close,
    tumbling,
)
from eddyline.application.topology.exception_handlers import Response
from eddyline.application.topology.processor import Processor, ProcessorContext, PunctuationType, Record
from eddyline.application.topology.stores import custom_store, key_value_store
from tests.runtime.failing_flows import (
    Doubling,
    add,
    fail_on_bad,
    letters,
    none,
    run,
    set_of_bad,
    state,
)
from tests.runtime.hosts import Host, received


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
    assert host.out == [b"a", b"0", b"b", b"c", b"d", b"20"]
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
    keyed = [received(b"", 1)._replace(topic=topic, key=key, value=b"1") for key in (b"a", b"bad", b"c")]
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
