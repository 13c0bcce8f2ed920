"""A task host sends the output of its task and dead letters, runs punctuation, and reports its counts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from eddyline.application.ports.event_log import LogRecord
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL, OffsetRange
from eddyline.application.runtime.input.task_input import TaskInput
from eddyline.application.runtime.plan.dead_letters import reason_in
from eddyline.application.runtime.plan.options import LogClock
from eddyline.application.topology import TopologyBuilder, tumbling
from eddyline.application.topology.processor import FixedKeyProcessor, ProcessorContext, PunctuationType, Record
from tests.runtime.hosts import PARTITION, Host, merged, received


def counted(builder: TopologyBuilder) -> None:
    builder.stream("lines", key=str, value=str).group_by_key().count(store="counts").to_stream().to("out")


@pytest.mark.parametrize(("emit", "expected"), [("latest", [b"3"]), ("every-update", [b"1", b"2", b"3"])])
def test_cached_updates_are_sent_at_the_end_of_the_batch(emit: str, expected: list[bytes]) -> None:
    host = Host(counted, emit=emit)
    for _ in range(3):
        host.append("lines", b"x")
    assert host.run(*host.all_of("lines")) == expected


def test_results_keep_the_headers_of_their_record() -> None:
    host = Host(merged)
    host.append("left", b"x", headers=(("trace", b"x"),))
    host.run(*host.all_of("left"))
    assert [list(sent.headers) for sent in host.outlet.results] == [[(("trace", b"x"),)]]


def test_the_task_and_its_results_have_the_partition_of_the_host() -> None:
    host = Host(merged, keep_partition=True)
    host.append("left", b"x")
    host.run(*host.all_of("left"))
    assert host.host.task.task_id == f"0_{PARTITION}"
    assert [sent.partition for sent in host.outlet.results] == [PARTITION]


def test_by_timestamp_results_have_no_arrival_number() -> None:
    def with_partitioner(builder: TopologyBuilder) -> None:
        builder.stream("lines", key=str, value=str).to("out", partitioner=lambda _key, _value, _partitions: 0)

    host = Host(with_partitioner)
    host.append("lines", b"x", arrival=7)
    host.run(*host.all_of("lines"))
    assert [sent.arrival for sent in host.outlet.sent] == [NO_ARRIVAL]


def test_by_arrival_the_output_of_each_record_is_sent_before_the_next_one_is_processed() -> None:
    host = Host(merged, order="arrival")
    for arrival in range(3):
        host.append("left", b"v%d" % arrival, arrival=arrival)
    sent = [len(host.out) for _ in host.host.run(TaskInput(host.all_of("left")), 1_000)]
    assert sent == [1, 2, 3, 3]
    assert [one.arrival for one in host.outlet.sent] == [0, 1, 2]


def test_by_timestamp_the_output_of_many_records_is_sent_together() -> None:
    host = Host(merged)
    for number in range(2_500):
        host.append("left", b"v%d" % number)
    sent = [len(host.out) for _ in host.host.run(TaskInput(host.all_of("left")), 1_000)]
    assert sent == [1_024, 2_048, 2_500, 2_500]


def test_by_arrival_output_at_the_end_of_a_batch_has_the_arrival_number_of_the_last_record() -> None:
    host = Host(counted, order="arrival", emit="latest")
    host.append("lines", b"x", arrival=7)
    host.append("lines", b"x", arrival=9)
    host.run(*host.all_of("lines"))
    host.run()
    assert [(sent.record.value, sent.arrival) for sent in host.outlet.sent] == [(b"2", 9)]


class TimeTeller(FixedKeyProcessor[str, str, str]):
    """Replaces the value of each record by the wall-clock time; wall-clock punctuation every 100 ms repeats the last record."""

    def init(self, context: ProcessorContext[str, str]) -> None:
        super().init(context)
        self._last: Record[str, str] | None = None
        context.schedule(100, PunctuationType.WALL_CLOCK_TIME, self._punctuate)

    def process(self, record: Record[str, str]) -> None:
        self._last = record.with_value(str(self.context.current_system_time_ms()))
        self.context.forward(self._last)

    def _punctuate(self, now: int) -> None:
        if self._last is not None:
            self.context.forward(self._last.with_value(f"punctuated at {now}"))


def timed(builder: TopologyBuilder) -> None:
    builder.stream("lines", key=str, value=str).process_values(TimeTeller, value=str).to("out")


def test_punctuation_that_is_due_runs_before_the_records_of_the_batch() -> None:
    host = Host(timed)
    host.append("lines", b"x")
    assert host.host.next_wall_clock_due() == 1_100
    assert host.run(*host.all_of("lines"), now_ms=1_000) == [b"1000"]
    assert host.run(OffsetRange("lines", PARTITION, 0, 1), now_ms=1_250) == [b"punctuated at 1250", b"1250"]
    assert host.host.next_wall_clock_due() == 1_300


def test_by_arrival_the_output_of_punctuation_has_no_arrival_number() -> None:
    host = Host(timed, order="arrival")
    host.append("lines", b"x", arrival=3)
    host.run(*host.all_of("lines"))
    host.append("lines", b"y", arrival=4)
    host.run(OffsetRange("lines", PARTITION, 1, 2), now_ms=1_100)
    assert [(sent.record.value, sent.arrival) for sent in host.outlet.sent] == [
        (b"1000", 3),
        (b"punctuated at 1100", NO_ARRIVAL),
        (b"1100", 4),
    ]


def test_by_arrival_the_updates_that_punctuation_causes_in_a_batch_without_records_have_no_arrival_number() -> None:
    def in_table(builder: TopologyBuilder) -> None:
        lines = builder.stream("lines", key=str, value=str).process_values(TimeTeller, value=str)
        lines.to_table(store="latest").to_stream().to("out")

    host = Host(in_table, order="arrival", emit="latest")
    host.append("lines", b"x", arrival=3)
    host.run(*host.all_of("lines"))
    host.run(now_ms=1_100)
    assert [(sent.record.value, sent.arrival) for sent in host.outlet.sent] == [(b"1000", 3), (b"punctuated at 1100", NO_ARRIVAL)]


def test_with_a_clock_topic_its_records_set_the_wall_clock() -> None:
    host = Host(timed, clock=LogClock("ticks", start_ms=50), order="arrival")
    host.append("lines", b"x", arrival=0)
    host.append("ticks", b"ignored", 149, arrival=1)
    host.append("lines", b"x", arrival=2)
    host.append("ticks", b"ignored", 150, arrival=3)
    host.append("lines", b"x", arrival=4)
    assert host.run(*host.all_of("lines", "ticks"), now_ms=9_000) == [b"50", b"149", b"punctuated at 150", b"150"]
    assert host.host.next_wall_clock_due() is None
    assert host.host.report().records == 5
    host.append("lines", b"x", arrival=5)
    assert host.run(OffsetRange("lines", PARTITION, 3, 4), now_ms=9_000) == [b"150"]


def in_seconds(builder: TopologyBuilder) -> None:
    windowed = builder.stream("lines", key=str, value=str).group_by_key().windowed_by(tumbling(1_000, grace=0))
    windowed.count(store="counts").to_stream().to("counts")


def letters(host: Host) -> list[tuple[Any, ...]]:
    """Value, message and offset of the dead letters."""
    reasons = [(sent.record.value, reason_in(sent.record.headers)) for sent in host.outlet.sent]
    return [(value, reason.message, reason.topic, reason.offset) for value, reason in reasons if reason.exception]


def counts(host: Host) -> tuple[Any, ...]:
    """The numbers of records and dead letters, and the drops."""
    return host.host.report()[:3]


def test_undecodable_records_become_dead_letters_and_are_counted_in_their_batch() -> None:
    host = Host(merged)
    host.append("left", b"torn", error="no record")
    host.append("left", b"l1", 1)
    assert host.run(*host.all_of("left")) == [b"l1"]
    assert letters(host) == [(b"torn", "no record", "left", 0)]
    report = host.host.report()
    assert report[:3] == (1, 1, Counter({("left", "undecodable"): 1}))
    assert (report.consumed, report.undecodable) == ({"left": 1}, {"left": 1})
    host.run(OffsetRange("left", PARTITION, 1, 2))
    assert counts(host) == (1, 0, Counter())


@pytest.mark.parametrize(
    ("dead_letter_drops", "expected"),
    [(True, [(b"late", "operator 'counts-count' dropped the record: late", "lines", 1)]), (False, [])],
)
def test_dropped_records_are_counted_and_become_dead_letters_with_the_option(
    dead_letter_drops: bool, expected: list[tuple[Any, ...]]
) -> None:
    host = Host(in_seconds, dead_letter_drops=dead_letter_drops)
    host.append("lines", b"x", 5_000)
    host.append("lines", b"late", 1_000)
    host.run(*host.all_of("lines"))
    assert letters(host) == expected
    assert host.host.report().drops == {("counts-count", "late"): 1}


@pytest.mark.parametrize("topics", [("lines",), ("lines", "others")])
def test_dead_letters_take_the_records_that_were_read(topics: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def counted_and_parsed(builder: TopologyBuilder) -> None:
        streams = [builder.stream(topic, key=str, value=str) for topic in topics]
        merged = streams[0].merge(streams[-1]) if len(streams) > 1 else streams[0]
        merged.map_values(int, value=int).group_by_key().windowed_by(tumbling(1_000, grace=0)).count(store="counts")

    host = Host(counted_and_parsed, dead_letter_drops=True, processing_exception_handler="dead-letter")
    for topic in topics:
        for number in range(2_000):
            host.append(topic, b"x" if number % 2 else b"%d" % number, 9_000 if number < 1_000 else 1_000)
    reads: list[tuple[int, int]] = []
    read = host.log.read

    def counting(topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        reads.append((start, end))
        return read(topic, partition, start, end)

    monkeypatch.setattr(host.log, "read", counting)
    host.run(*(offsets for topic in topics for offsets in host.all_of(topic)))
    assert reads == [(0, 2_000)] * len(topics)
    found = letters(host)
    assert len(found) == 1_500 * len(topics)
    for topic in topics:
        values = [value for value, _, source, _ in found if source == topic]
        assert sorted(values) == sorted([b"x"] * 1_000 + [b"%d" % number for number in range(1_000, 2_000, 2)])


def test_dropped_records_of_a_repartition_topic_become_dead_letters_as_they_were_received() -> None:
    def counted_by_second(builder: TopologyBuilder) -> None:
        moved = builder.stream("lines", key=str, value=str).repartition(name="moved").group_by_key()
        moved.windowed_by(tumbling(1_000, grace=0)).count(store="counts").to_stream().to("counts")

    host = Host(counted_by_second, sub_topology=1, dead_letter_drops=True)
    senders = {
        ("moved-repartition", 0): [received(b"x", 5_000)],
        ("moved-repartition", 1): [received(b"y", 6_000), received(b"late", 1_000)],
    }
    host.run(repartitioned=senders)
    assert letters(host) == [(b'"late"', "operator 'counts-count' dropped the record: late", "app-moved-repartition", None)]
    host.run(repartitioned={("moved-repartition", 0): [received(b"also late", 2_000)]})
    assert [value for value, *_ in letters(host)] == [b'"late"', b'"also late"']


def test_a_drop_by_arrival_is_sent_with_the_arrival_number_of_its_record() -> None:
    host = Host(merged, order="arrival", dead_letter_drops=True)
    host.append("left", b"x", -5, arrival=4)
    host.append("left", b"y", 5, arrival=6)
    host.run(*host.all_of("left"))
    assert [(sent.record.value, sent.arrival) for sent in host.outlet.sent] == [(b"x", 4), (b"y", 6)]


def test_without_records_nothing_is_counted() -> None:
    host = Host(merged)
    assert counts(host) == (0, 0, Counter())
    assert host.host.unread == {}
    host.run()
    assert counts(host) == (0, 0, Counter())


def unwanted(builder: TopologyBuilder) -> None:
    lines = builder.stream("lines", key=str, value=str)
    lines.to("out", partitioner=lambda _key, value, _partitions: [] if value.startswith("no") else None, name="wanted")


@pytest.mark.parametrize("handler", ["fail", "continue"])
@pytest.mark.parametrize("dead_letter_drops", [True, False])
def test_records_without_a_partition_are_drops_like_others(dead_letter_drops: bool, handler: str) -> None:
    host = Host(unwanted, dead_letter_drops=dead_letter_drops, processing_exception_handler=handler)
    for value in (b"a", b"no 1", b"b", b"no 2"):
        host.append("lines", value)
    assert host.run(*host.all_of("lines")) == [b"a", b"b"]
    message = "operator 'wanted' dropped the record: no-partition"
    expected = [(b"no 1", message, "lines", 1), (b"no 2", message, "lines", 3)] if dead_letter_drops else []
    assert letters(host) == expected
    assert counts(host) == (4, len(expected), Counter({("wanted", "no-partition"): 2}))


def test_a_drop_for_want_of_a_partition_is_undone_with_its_record() -> None:
    def define(builder: TopologyBuilder) -> None:
        lines = builder.stream("lines", key=str, value=str)
        lines.to("out", partitioner=lambda _key, _value, _partitions: [], name="none")
        lines.map_values(lambda _value: object()).to("out", name="broken")

    host = Host(define, dead_letter_drops=True, production_exception_handler="dead-letter")
    host.append("lines", b"a")
    host.run(*host.all_of("lines"))
    assert counts(host) == (1, 1, Counter({("broken", "production-error"): 1}))
    assert len(letters(host)) == 1
