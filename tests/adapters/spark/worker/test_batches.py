"""The results of a flow do not depend on where batches end, on batches that fail, or on caches that workers lose."""

import json
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.samples.catalogue import find_flow
from eddyline.application.topology import Topology, TopologyBuilder
from eddyline.testing import MemoryEngine
from tests.adapters.spark.in_process import InProcessRun, without_zeros
from tests.fixtures.examples import examples

Event = tuple[str, int, int]
"""Ticker, timestamp (ms) and price."""

EVENTS = st.lists(st.tuples(st.sampled_from(["a", "b", "c", "d"]), st.integers(0, 30_000), st.integers(1, 100)), max_size=60)
SEEDS = st.integers(0, 1000)
BATCHES = st.fixed_dictionaries(
    {
        "max_batch_records": st.integers(1, 70),
        "failure_rate": st.sampled_from([0.0, 0.4]),
        "cache_loss_rate": st.sampled_from([0.0, 0.5]),
    }
)
"""Parameters of `InProcessRun.run`."""
FEW = settings(max_examples=examples(40))


def trades(events: list[Event], partitions: int) -> MemoryEventLog:
    log = MemoryEventLog()
    log.create_topic("trades", partitions)
    for ticker, timestamp, price in events:
        value = json.dumps({"type": "ASK", "ticker": ticker, "price": price, "size": 1}).encode()
        log.append("trades", ticker.encode(), value, timestamp, partition=partition_for(ticker.encode(), partitions))
    return log


def in_memory(topology: Topology, log: MemoryEventLog, topic: str) -> MemoryEngine:
    """Return a memory engine with as many tasks as the topic has partitions, after all records of the topic."""
    partitions = log.partitions(topic)
    engine = MemoryEngine(topology, partitions=partitions, emit="every-update")
    spec = next(spec for spec in topology.source_topics if spec.name == topic)
    key, value = JsonCodecs().for_key(topic, spec.key_type), JsonCodecs().for_value(topic, spec.value_type)
    for number in range(partitions):
        for batch in log.read(topic, number, 0, log.end_offset(topic, number)):
            for record in batch:
                engine.pipe(topic, key.decode(record.key), value.decode(record.value), record.timestamp, partition=number)
    engine.commit()
    return engine


@FEW
@given(EVENTS, st.sampled_from([1, 2, 7]), SEEDS, BATCHES, st.sampled_from(["latest", "every-update"]))
def test_windows_and_drops_equal_those_of_the_memory_engine_with_as_many_tasks(
    events: list[Event], partitions: int, seed: int, batches: dict[str, Any], emit: Any
) -> None:
    topology = find_flow("stock-stats").topology(grace_ms=2_000)
    log = trades(events, partitions)
    engine = in_memory(topology, log, "trades")
    run = InProcessRun(topology, log, emit=emit, seed=seed).run(**batches)
    assert run.store("trade-aggregates") == engine.store("trade-aggregates")
    assert run.report.drops == without_zeros(engine.drops)
    assert run.report.records == len(events)
    if emit == "every-update":
        assert Counter(record.timestamp for record in run.results("stock-stats")) == Counter(
            record.timestamp for record in engine.outputs("stock-stats")
        )


@FEW
@given(EVENTS, SEEDS, BATCHES)
def test_the_updates_of_a_key_are_the_same_and_in_the_same_order_as_in_a_single_batch(
    events: list[Event], seed: int, batches: dict[str, Any]
) -> None:
    topology = find_flow("stock-stats").topology()
    in_one_batch = InProcessRun(topology, trades(events, 3)).run()
    in_many_batches = InProcessRun(topology, trades(events, 3), seed=seed).run(**batches)
    assert updates_by_ticker(in_many_batches) == updates_by_ticker(in_one_batch)


def updates_by_ticker(run: InProcessRun) -> dict[str, list[Any]]:
    updates: dict[str, list[Any]] = {}
    for record in run.results("stock-stats"):
        updates.setdefault(json.loads(record.key or b"")["key"], []).append((record.key, record.value, record.timestamp))
    return updates


LINES = st.lists(st.lists(st.sampled_from(["the cat", "a cat", "dog", ""]), max_size=3), max_size=9)


@FEW
@given(LINES, SEEDS, BATCHES, st.sampled_from(["latest", "every-update"]))
def test_repartitioned_records_are_counted_once(lines: list[list[str]], seed: int, batches: dict[str, Any], emit: Any) -> None:
    topology = find_flow("word-count").topology()
    log = MemoryEventLog()
    log.create_topic("text-lines", 3)
    for number, line in enumerate(lines):
        log.append("text-lines", None, " ".join(line).encode(), number, partition=number % 3)
    engine = in_memory(topology, log, "text-lines")
    run = InProcessRun(topology, log, emit=emit, seed=seed).run(**batches)
    assert [(row.key, row.value) for row in run.store("word-count-store")] == [
        (row.key, row.value) for row in engine.store("word-count-store")
    ]


def no_values() -> list[int]:
    return []


def appended(_key: str, values: list[int], value: int) -> list[int]:
    return [*values, value]


def merged_topics() -> Topology:
    """Return a topology whose store `values` has the values of two topics in the order in which the task took them."""
    builder = TopologyBuilder()
    left, right = builder.stream("left", key=str, value=int), builder.stream("right", key=str, value=int)
    left.merge(right).group_by_key().aggregate(no_values, appended, with_key=True, store="values").to_stream().to("values-so-far")
    return builder.build()


def lowest_timestamp_first(*queues: list[tuple[int, int]]) -> list[int]:
    """Return the numbers of (timestamp, number) pairs, always taken from the queue whose head has the lowest timestamp."""
    taken = []
    left = [list(queue) for queue in queues]
    while any(left):
        _, number = min((queue for queue in left if queue), key=lambda queue: queue[0][0]).pop(0)
        taken.append(number)
    return taken


@FEW
@given(st.lists(st.tuples(st.sampled_from(["left", "right"]), st.integers(0, 50)), max_size=40), SEEDS, BATCHES)
def test_a_task_takes_the_head_with_the_lowest_timestamp_wherever_batches_end(
    records: list[tuple[str, int]], seed: int, batches: dict[str, Any]
) -> None:
    log = MemoryEventLog()
    queues: dict[str, list[tuple[int, int]]] = {"left": [], "right": []}
    log.create_topic("left", 1)
    log.create_topic("right", 1)
    for number, (topic, timestamp) in enumerate(records):
        log.append(topic, b"k", str(number).encode(), timestamp)
        queues[topic].append((timestamp, number))
    run = InProcessRun(merged_topics(), log, seed=seed).run(**batches)
    expected = lowest_timestamp_first(queues["left"], queues["right"])
    assert [row.value for row in run.store("values")] == ([expected] if expected else [])
