"""The record collector encodes the output of a task and sends it where it belongs."""

from collections import Counter
from typing import Any

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.operators.output import Output
from eddyline.application.ports.codec import Codec, CodecError, Codecs
from eddyline.application.ports.event_log import Headers, TopicPartition
from eddyline.application.ports.event_sink import Results, SinkRecord
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL
from eddyline.application.runtime.output.record_collector import RecordCollector, Routed, RoutedTogether
from eddyline.application.runtime.plan.failures import OutputError
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.topology import Topology, TopologyBuilder
from tests.runtime.outlets import ListOutlet, Sent
from tests.runtime.plans import run_plan

TASK = 1
HEADERS: Headers = (("trace", b"x"),)


class LabelledCodecs(Codecs):
    """Codecs whose bytes name the codec; counts how often each codec was asked for and used."""

    def __init__(self) -> None:
        self.requested, self.encoded = Counter[str](), Counter[str]()

    def for_key(self, topic: str, key_type: Any) -> Codec:
        return self._codec(f"key of {topic} as {key_type.__name__}")

    def for_value(self, topic: str, value_type: Any) -> Codec:
        return self._codec(f"value of {topic} as {value_type.__name__}")

    def for_state(self, value_type: Any) -> Codec:
        return self._codec(f"state as {value_type.__name__}")

    def _codec(self, label: str) -> Codec:
        self.requested[label] += 1
        return _LabelledCodec(label, self.encoded)


class _LabelledCodec(Codec):
    def __init__(self, label: str, encoded: Counter[str]) -> None:
        self._label, self._encoded = label, encoded

    def encode(self, value: Any) -> bytes | None:
        self._encoded[self._label] += 1
        return None if value is None else f"{self._label}: {value}".encode()

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        raise NotImplementedError


def fail(output: Output) -> None:
    raise AssertionError(output)


def by_key_and_value(key: str, value: int, partitions: int) -> int:
    return (len(key) * 10 + value) % partitions


def up_to_value(_key: str, value: int, partitions: int) -> range | None:
    return None if value < 0 else range(min(value, partitions))


def topology() -> Topology:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    numbers = builder.stream("numbers", key=str, value=int)
    lines.to("out", name="lines-out")
    numbers.to("out", name="numbers-out")
    numbers.to("chosen", partitioner=by_key_and_value, name="chosen-sink")
    numbers.to("spread", partitioner=up_to_value, name="spread-sink")
    numbers.repartition(name="spread-moved", partitions=4, partitioner=up_to_value).to("spread-out")
    numbers.repartition(name="moved", partitions=6).to("moved-out")
    return builder.build()


class Collected:
    """A record collector of task 1 over the topology above, and what it sends."""

    def __init__(self, **options: Any) -> None:
        self.log = MemoryEventLog()
        self.log.create_topic("lines", 2)
        self.log.create_topic("numbers", 2)
        self.codecs, self.outlet = LabelledCodecs(), ListOutlet()
        self.plan = run_plan(topology(), self.log, codecs=self.codecs, **options)
        self.without_partition: list[Output] = []
        self.collector = RecordCollector(self.plan, TASK, self.outlet, self.without_partition.append)

    def output(self, node: str, key: Any, value: Any, timestamp: int = 5) -> Output:
        sink: Any = self.plan.topology.by_name[node]
        return Output(sink.topic, key, value, timestamp, HEADERS, sink)

    def collect(self, *outputs: tuple[str, Any, Any], arrival: int = NO_ARRIVAL) -> ListOutlet:
        self.collector.collect([self.output(*output) for output in outputs], arrival)
        return self.outlet


def test_nothing_is_sent_without_output() -> None:
    outlet = Collected().collect()
    assert (outlet.sent, outlet.results) == ([], [])


def test_results_of_one_sink_are_sent_together_by_column() -> None:
    collected = Collected()
    outputs = [collected.output("lines-out", "a", "x", 5), collected.output("lines-out", None, None, 6)]
    collected.collector.collect(outputs)
    assert collected.outlet.sent == []
    assert collected.outlet.results == [
        Results(
            "out", [b"key of out as str: a", None], [b"value of out as str: x", None], (5, 6), (HEADERS, HEADERS), partition=None
        )
    ]


def test_results_of_several_sinks_are_sent_one_by_one_in_order_with_the_codecs_of_their_sink() -> None:
    outlet = Collected().collect(("lines-out", "a", "x"), ("numbers-out", "b", 1), ("lines-out", "c", "y"))
    assert outlet.results == []
    assert outlet.sent == [
        Sent(SinkRecord("out", b"key of out as str: a", b"value of out as str: x", 5, HEADERS, None), NO_ARRIVAL, None),
        Sent(SinkRecord("out", b"key of out as str: b", b"value of out as int: 1", 5, HEADERS, None), NO_ARRIVAL, None),
        Sent(SinkRecord("out", b"key of out as str: c", b"value of out as str: y", 5, HEADERS, None), NO_ARRIVAL, None),
    ]


@pytest.mark.parametrize("count", [1, 5, 9_000])
def test_many_repartitioned_records_are_sent_as_those_with_arrival_numbers_one_by_one(count: int) -> None:
    outputs = [("moved-repartition-sink", None if number % 7 == 3 else f"k{number % 50}", number) for number in range(count)]
    together, one_by_one = Collected().collect(*outputs), Collected(order="arrival").collect(*outputs, arrival=1)
    assert _by_partition(together) == _by_partition(one_by_one)


def test_outputs_of_one_topic_are_routed_together() -> None:
    collected = Collected()
    outputs = [collected.output("lines-out", "a", "x"), collected.output("lines-out", "b", "y")]
    (routed,) = collected.collector.routed(outputs)
    assert isinstance(routed, RoutedTogether)
    collected.collector.send_routed([routed])
    assert [(found.topic, len(found.keys)) for found in collected.outlet.results] == [("out", 2)]


def test_the_output_that_cannot_be_encoded_is_named_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    def encode(_codec: _LabelledCodec, value: Any) -> bytes:
        if value == "bad":
            raise CodecError("it is bad")
        return str(value).encode()

    monkeypatch.setattr(_LabelledCodec, "encode", encode)
    collected = Collected()
    outputs = [collected.output("lines-out", "a", value) for value in ("x", "bad", "y")]
    with pytest.raises(OutputError) as raised:
        collected.collector.routed(outputs)
    assert raised.value.output is outputs[1]


def _by_partition(outlet: ListOutlet) -> dict[TopicPartition | None, list[SinkRecord]]:
    found: dict[TopicPartition | None, list[SinkRecord]] = {}
    for record, _, to in outlet.sent:
        found.setdefault(to, []).append(record)
    return found


def test_repartitioned_records_go_to_the_partition_of_their_key_with_values_encoded_as_state() -> None:
    outlet = Collected().collect(("moved-repartition-sink", "a", 1), ("moved-repartition-sink", "b", 2))
    keys = [b"key of app-moved-repartition as str: a", b"key of app-moved-repartition as str: b"]
    partitions = [partition_for(key, 6) for key in keys]
    assert partitions[0] != partitions[1]
    assert outlet.results == []
    assert outlet.sent == [
        Sent(
            SinkRecord("moved-repartition", key, b"state as int: %d" % value, 5, HEADERS, partition),
            NO_ARRIVAL,
            TopicPartition("moved-repartition", partition),
        )
        for key, partition, value in zip(keys, partitions, [1, 2], strict=True)
    ]


def test_a_repartitioned_record_without_a_key_goes_to_the_partition_of_an_empty_key() -> None:
    (sent,) = Collected().collect(("moved-repartition-sink", None, 1)).sent
    assert (sent.record.key, sent.to) == (None, TopicPartition("moved-repartition", partition_for(b"", 6)))


def test_the_partitioner_of_a_sink_chooses_among_the_partitions_of_its_topic() -> None:
    collected = Collected()
    collected.log.create_topic("chosen", 7)
    sent = collected.collect(("chosen-sink", "a", 3), ("chosen-sink", "aa", 3)).sent
    assert [(one.record.partition, one.to) for one in sent] == [(13 % 7, None), (23 % 7, None)]


def test_the_partitioner_of_a_sink_whose_topic_does_not_exist_chooses_among_the_partitions_it_will_have() -> None:
    (sent,) = Collected(new_topic_partitions=5).collect(("chosen-sink", "a", 3)).sent
    assert sent.record.partition == 13 % 5


def test_with_keep_partition_results_and_repartitioned_records_stay_in_the_partition_of_the_task() -> None:
    collected = Collected(keep_partition=True, order="arrival")
    sent = collected.collect(("chosen-sink", "a", 4), ("moved-repartition-sink", "a", 1)).sent
    assert [(one.record.partition, one.to) for one in sent] == [(TASK, None), (TASK, TopicPartition("moved-repartition", TASK))]


def test_with_keep_partition_results_that_are_sent_together_stay_in_the_partition_of_the_task() -> None:
    (results,) = Collected(keep_partition=True).collect(("lines-out", "a", "x"), ("lines-out", "a", "y")).results
    assert results.partition == TASK


def test_with_keep_partition_a_result_that_is_sent_alone_stays_in_the_partition_of_the_task() -> None:
    (sent,) = Collected(keep_partition=True).collect(("lines-out", "a", "x")).sent
    assert (sent.record.partition, sent.to) == (TASK, None)


def test_by_arrival_each_result_is_sent_with_the_arrival_number_of_its_cause() -> None:
    outlet = Collected(order="arrival").collect(("lines-out", "a", "x"), ("lines-out", "a", "y"), arrival=40)
    assert outlet.results == []
    assert [(sent.record.value, sent.arrival) for sent in outlet.sent] == [
        (b"value of out as str: x", 40),
        (b"value of out as str: y", 40),
    ]


def test_an_encoded_record_is_sent_unchanged() -> None:
    collected, record = Collected(), SinkRecord("letters", b"k", b"v", 5)
    collected.collector.send(record)
    collected.collector.send(record, 7)
    assert collected.outlet.sent == [Sent(record, NO_ARRIVAL, None), Sent(record, 7, None)]


@pytest.mark.parametrize("node", ["lines-out", "moved-repartition-sink"])
def test_codecs_are_chosen_once_and_a_text_key_is_encoded_once(node: str) -> None:
    collected = Collected()
    for value in range(3):
        collected.collect((node, "a", value))
    assert set(collected.codecs.requested.values()) == {1}
    assert sorted(collected.codecs.encoded.values()) == [1, 3], "one key and three values"


def test_the_topic_of_a_sink_may_differ_from_record_to_record() -> None:
    builder = TopologyBuilder()
    builder.stream("lines", key=str, value=str).to(lambda _key, value: value, name="by-value")
    log = MemoryEventLog()
    log.create_topic("lines", 2)
    codecs, outlet = LabelledCodecs(), ListOutlet()
    plan = run_plan(builder.build(), log, codecs=codecs)
    sink: Any = plan.topology.by_name["by-value"]
    RecordCollector(plan, TASK, outlet, fail).collect([Output(topic, "a", topic, 5, (), sink) for topic in ("x", "y")])
    assert [sent.record[:3] for sent in outlet.sent] == [
        ("x", b"key of x as str: a", b"value of x as str: x"),
        ("y", b"key of y as str: a", b"value of y as str: y"),
    ]


def test_a_partitioner_can_choose_several_partitions_of_a_topic() -> None:
    outlet = Collected(new_topic_partitions=3).collect(("spread-sink", "a", 2))
    assert [(sent.record.partition, sent.to) for sent in outlet.sent] == [(0, None), (1, None)]


def test_a_partitioner_can_choose_several_partitions_of_a_repartition_topic() -> None:
    outlet = Collected().collect(("spread-moved-repartition-sink", "a", 2))
    topic = "spread-moved-repartition"
    assert [(sent.record.partition, sent.to) for sent in outlet.sent] == [
        (0, TopicPartition(topic, 0)),
        (1, TopicPartition(topic, 1)),
    ]


def test_without_a_choice_the_default_partitioner_decides() -> None:
    outlet = Collected().collect(("spread-sink", "a", -1), ("spread-moved-repartition-sink", "a", -1))
    of_key = partition_for(b"key of app-spread-moved-repartition as str: a", 4)
    assert [sent.record.partition for sent in outlet.sent] == [None, of_key]


def test_a_record_without_partitions_is_not_sent_but_passed_on() -> None:
    collected = Collected()
    outlet = collected.collect(("spread-sink", "a", 0), ("spread-moved-repartition-sink", "a", 0))
    assert outlet.sent == []
    assert [output.sink.name for output in collected.without_partition] == ["spread-sink", "spread-moved-repartition-sink"]


def test_each_copy_stays_in_the_partition_of_the_task_if_partitions_are_kept() -> None:
    outlet = Collected(keep_partition=True).collect(("spread-sink", "a", 5), ("spread-sink", "a", 0))
    assert [sent.record.partition for sent in outlet.sent] == [TASK]


def test_routed_outputs_are_sent_with_their_arrival_number_to_their_partition() -> None:
    sink_record, to = SinkRecord("moved-repartition", b"k", b"1", 5), TopicPartition("moved-repartition", 2)
    outlet = ListOutlet()
    builder = TopologyBuilder()
    builder.stream("in", key=str, value=int).to("out")
    log = MemoryEventLog()
    log.create_topic("in", 1)
    collector = RecordCollector(run_plan(builder.build(), log), TASK, outlet, fail)
    collector.send_routed([Routed(sink_record, to), Routed(sink_record, None)], 40)
    collector.send_routed([Routed(sink_record, to)])
    assert outlet.sent == [Sent(sink_record, 40, to), Sent(sink_record, 40, None), Sent(sink_record, NO_ARRIVAL, to)]
