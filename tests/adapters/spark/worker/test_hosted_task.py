"""Batches, failures and forgetful workers are not to be seen in what a flow gives."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.engine import MemoryEngine
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.codec import Codec, CodecUnavailableError
from eddyline.application.ports.event_log import Headers
from eddyline.application.ports.event_sink import EventSink, SinkRecord
from eddyline.application.runtime.partitioner import partition_for
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology, TopologyBuilder
from tests.adapters.spark.in_process import InProcess, drops_of

Event = tuple[str, int, int]
"""Ticker, timestamp and price."""

EVENTS = st.lists(st.tuples(st.sampled_from(["a", "b", "c", "d"]), st.integers(0, 30_000), st.integers(1, 100)), max_size=60)
RUNS = {
    "limit": st.integers(1, 70),
    "failing": st.sampled_from([0.0, 0.4]),
    "forgetting": st.sampled_from([0.0, 0.5]),
    "seed": st.integers(0, 1000),
}
FEW = settings(max_examples=40)


def trades(events: list[Event], partitions: int) -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("trades", partitions)
    for ticker, timestamp, price in events:
        value = json.dumps({"type": "trade", "ticker": ticker, "price": price}).encode()
        log.append("trades", ticker.encode(), value, timestamp, partition=partition_for(ticker.encode(), partitions))
    return log


def in_memory(topology: Topology, log: MemoryEventLog, topic: str, **options: Any) -> MemoryEngine:
    """The memory engine after the same records."""
    partitions = log.partitions(topic)
    engine = MemoryEngine(topology, partitions=partitions, **options)
    spec = next(spec for spec in topology.source_topics if spec.name == topic)
    key, value = JsonCodecs().for_key(topic, spec.key_type), JsonCodecs().for_value(topic, spec.value_type)
    for number in range(partitions):
        for batch in log.read(topic, number, 0, log.end_offset(topic, number)):
            for record in batch:
                engine.pipe(topic, key.decode(record.key), value.decode(record.value), record.timestamp, partition=number)
    engine.commit()
    return engine


@FEW
@given(EVENTS, st.sampled_from([1, 2, 7]), st.fixed_dictionaries(RUNS), st.sampled_from(["latest", "every-update"]))
def test_windows_come_out_as_in_memory_with_as_many_tasks(
    events: list[Event], partitions: int, how: dict[str, Any], emit: Any
) -> None:
    topology = find_flow("stock-stats").topology(grace_ms=2_000)
    log = trades(events, partitions)
    engine = in_memory(topology, log, "trades")
    seed = how.pop("seed")
    run = InProcess(topology, log, emit=emit, seed=seed).run(**how)
    assert run.store("trade-aggregates") == engine.store("trade-aggregates")
    assert run.report.drops == drops_of(dict(engine.drops))
    assert run.report.records == len(events)
    if emit == "every-update":
        assert Counter(record.timestamp for record in run.results("stock-stats")) == Counter(
            record.timestamp for record in engine.outputs("stock-stats")
        )


@FEW
@given(EVENTS, st.fixed_dictionaries(RUNS))
def test_every_update_comes_in_the_same_order_however_batches_fall_and_fail(events: list[Event], how: dict[str, Any]) -> None:
    topology = find_flow("stock-stats").topology()
    at_once = InProcess(topology, trades(events, 3)).run()
    seed = how.pop("seed")
    in_pieces = InProcess(topology, trades(events, 3), seed=seed).run(**how)
    assert updates_by_ticker(in_pieces) == updates_by_ticker(at_once)


def updates_by_ticker(run: InProcess) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for record in run.results("stock-stats"):
        found.setdefault(json.loads(record.key or b"")["key"], []).append((record.key, record.value, record.timestamp))
    return found


@FEW
@given(st.lists(st.lists(st.sampled_from(["the cat", "a cat", "dog", ""]), max_size=3), max_size=9), st.fixed_dictionaries(RUNS))
def test_what_is_repartitioned_is_counted_once(lines: list[list[str]], how: dict[str, Any]) -> None:
    topology = find_flow("word-count").topology()
    log = MemoryEventLog()
    log.create_topic("text-lines", 3)
    for number, line in enumerate(lines):
        log.append("text-lines", None, " ".join(line).encode(), number, partition=number % 3)
    engine = in_memory(topology, log, "text-lines")
    seed = how.pop("seed")
    run = InProcess(topology, log, seed=seed).run(**how)
    assert [(row.key, row.value) for row in run.store("word-count-store")] == [
        (row.key, row.value) for row in engine.store("word-count-store")
    ]


def nothing_seen() -> list[int]:
    return []


def joined(_key: str, held: list[int], value: int) -> list[int]:
    return [*held, value]


def two_topics() -> Topology:
    builder = TopologyBuilder()
    left, right = builder.stream("left", key=str, value=int), builder.stream("right", key=str, value=int)
    left.merge(right).group_by_key().aggregate(nothing_seen, joined, with_key=True, store="seen").to_stream().to("seen-so-far")
    return builder.build()


def lowest_heads(*queues: list[tuple[int, int]]) -> list[int]:
    """The numbers of (timestamp, number) pairs, always taken from the queue whose head has the lowest timestamp."""
    taken = []
    left = [list(queue) for queue in queues]
    while any(left):
        _, number = min((queue for queue in left if queue), key=lambda queue: queue[0][0]).pop(0)
        taken.append(number)
    return taken


@FEW
@given(st.lists(st.tuples(st.sampled_from(["left", "right"]), st.integers(0, 50)), max_size=40), st.fixed_dictionaries(RUNS))
def test_a_task_takes_the_lowest_head_of_its_partitions_wherever_batches_are_cut(
    given_records: list[tuple[str, int]], how: dict[str, Any]
) -> None:
    log = MemoryEventLog()
    queues: dict[str, list[tuple[int, int]]] = {"left": [], "right": []}
    log.create_topic("left", 1)
    log.create_topic("right", 1)
    for number, (topic, timestamp) in enumerate(given_records):
        log.append(topic, b"k", str(number).encode(), timestamp)
        queues[topic].append((timestamp, number))
    seed = how.pop("seed")
    run = InProcess(two_topics(), log, seed=seed).run(**how)
    expected = lowest_heads(queues["left"], queues["right"])
    assert [row.value for row in run.store("seen")] == ([expected] if expected else [])


def test_bad_records_become_dead_letters_with_bytes_place_and_reason_and_the_run_goes_on() -> None:
    log = trades([("a", 1, 1)], 1)
    log.append("trades", b"a", b"{not json", 2, (("trace", b"x"),))
    log.append("trades", None, b"torn line", -1, error="no record: no timestamp")
    log.append("trades", b"a", b'{"type": "trade", "ticker": "a", "price": 3.0}', 4)
    run = InProcess(find_flow("stock-stats").topology(), log).run(limit=2)
    letters = run.results("app-dead-letters")
    assert [(letter.key, letter.value) for letter in letters] == [(b"a", b"{not json"), (None, b"torn line")]
    assert [letter.timestamp >= 0 for letter in letters] == [True, True]
    headers = dict(letters[0].headers)
    assert headers["trace"] == b"x"
    assert headers["__streams.errors.topic"] == b"trades"
    assert (headers["__streams.errors.partition"], headers["__streams.errors.offset"]) == (b"0", b"1")
    assert headers["__streams.errors.exception"] == b"CodecError"
    assert b"JSON" in (headers["__streams.errors.message"] or b"")
    assert b"Traceback" in (headers["__streams.errors.stacktrace"] or b"")
    assert dict(letters[1].headers)["__streams.errors.message"] == b"no record: no timestamp"
    assert (run.report.records, run.report.dead_letters) == (2, 2)
    assert sum(run.report.drops.values()) == 2
    assert run.store("trade-aggregates")[0].value.count_trades == 2


class _Unavailable(JsonCodecs):
    def for_value(self, topic: str, value_type: Any) -> Codec:
        del topic, value_type
        return _Down()


class _Down(Codec):
    def encode(self, value: Any) -> bytes | None:
        raise NotImplementedError

    def decode(self, data: bytes | None, _headers: Headers = ()) -> Any:
        del data
        raise CodecUnavailableError("the registry is down")


def test_a_codec_that_cannot_work_now_fails_the_batch_and_makes_no_dead_letter() -> None:
    run = InProcess(find_flow("stock-stats").topology(), trades([("a", 1, 1)], 1), codecs=_Unavailable())
    with pytest.raises(CodecUnavailableError):
        run.run()
    assert run.results("app-dead-letters") == []


def its_value(_key: str, value: str) -> str:
    return value


def test_by_arrival_results_come_in_one_sequence_over_all_topics() -> None:
    builder = TopologyBuilder()
    lines = builder.stream("lines", key=str, value=str)
    lines.to("first")
    lines.select_key(its_value).group_by_key().count(store="n").to_stream().to("second")
    log = MemoryEventLog()
    log.create_topic("lines", 2)
    for number in range(6):
        log.append("lines", b"k", b"v%d" % (number % 2), number, partition=number % 2, arrival=number)
    sink = _InOneList()
    InProcess(builder.build(), log, order="arrival", sink=sink).run(limit=4)
    assert [topic for topic, _ in sink.seen] == ["first", "second"] * 6
    assert [key for topic, key in sink.seen if topic == "second"] == [b"v0", b"v1"] * 3


class _InOneList(EventSink):
    def __init__(self) -> None:
        self.seen: list[tuple[str, bytes | None]] = []

    def create_topic(self, topic: str, partitions: int) -> None:
        """Nothing is needed."""

    def write(self, writer: str, slot: int, batch: int, records: Sequence[SinkRecord]) -> bool:
        del writer, slot, batch
        self.seen += [(record.topic, record.key) for record in records]
        return True
