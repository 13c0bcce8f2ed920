"""Measures where the processor time of a record goes in a worker, without Kafka and Spark: `python -m benchmarks.record_path`.

Trades as JSON in one partition of a log in memory, 5 s windows that advance by 1 s. With the mode `word-count` lines of 6 to 10
words, whose words are counted after a repartition; with `rekeyed` the trades by their sizes. `next stage` is the task that gets
these. The modes `clickstream` and `notifications` are the joins beside other systems, as the task of one of four partitions sees
them. Each stage is measured alone, on what the stage before it has returned; `whole` is one task in a batch, from the records of
the log to its results and the entries of its stores. The times are of the processor, the least of some runs.
"""

import argparse
import gc
import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple, NoReturn

from confluent_kafka import Message

from benchmarks.kafka_to_kafka import MODES, topology
from benchmarks.kafka_trades import PARTITIONS
from benchmarks.suite.joins import clickstream, notifications
from benchmarks.suite.topologies import topology as suite_topology
from benchmarks.suite.workloads import lines
from eddyline import Topology, TopologyBuilder
from eddyline.adapters.codecs.topic_codecs import TopicCodecs
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.records import log_records
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.primitive.codecs import PrimitiveCodecs
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, unpack_frame
from eddyline.adapters.spark.exchange.rows import Row
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.worker.hosted_task import HostedTask
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.runtime.input.batch_decoding import BatchDecoders
from eddyline.application.runtime.input.decoding import TopicDecoders
from eddyline.application.runtime.input.record_queue import IncomingRecord
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.domain.trading import Trade

_TOPIC: Final = "trades"
_LINES: Final = "lines"
_WORD_COUNT: Final = "word-count"
_REKEYED: Final = "rekeyed"
_JOINS: Final = {"clickstream": clickstream, "notifications": notifications}
_CHUNK: Final = 1_024
_START_MS: Final = 1_700_000_000_000
_TRADES_PER_MS: Final = 5
_MICROSECONDS: Final = 1_000_000


class Input(NamedTuple):
    """The input of a task and its plan; each topic has one partition in the log."""

    log: MemoryEventLog
    plan: SparkPlan
    topics: Sequence[str]


def input_of(mode: str, records: int) -> Input:
    """Return the input of a mode; of joins, about as many records of the stream as `records` says."""
    if mode in _JOINS:
        return input_of_joins(mode, records)
    if mode == _WORD_COUNT:
        log = log_of_lines(records)
        return Input(log, plan_of_words(log), (_LINES,))
    log = filled_log(records)
    return Input(log, plan_of(log, mode), (_TOPIC,))


def input_of_joins(mode: str, records: int) -> Input:
    """Return the input of the task of partition 0 of four, with the records that its partitions have."""
    log, workload = MemoryEventLog(), _JOINS[mode](records * PARTITIONS)
    for topic in workload.topics:
        log.create_topic(topic, 1)
    for topic, key, value, timestamp, partition in workload.generate():
        data = key.encode() if isinstance(key, str) else key or b""
        if (partition_for(data, PARTITIONS) if partition < 0 else partition) == 0:
            log.append(topic, data, value.encode() if isinstance(value, str) else value, timestamp)
    return Input(log, plan_of_suite(log, mode, workload.source, {}), workload.topics)


def filled_log(records: int) -> MemoryEventLog:
    """Return a log with trades of 25 tickers, which is what one of four partitions has of 100."""
    log, chance = MemoryEventLog(), random.Random(1)
    log.create_topic(_TOPIC, 1)
    for number in range(records):
        ticker = f"T{chance.randrange(25):03}"
        price, size = chance.uniform(10, 200), chance.randrange(1, 1_000)
        value = f'{{"type":"ASK","ticker":"{ticker}","price":{price:.2f},"size":{size}}}'
        log.append(_TOPIC, ticker.encode(), value.encode(), _START_MS + number // _TRADES_PER_MS)
    return log


def log_of_lines(records: int) -> MemoryEventLog:
    """Return a log with the lines of the benchmark of other systems."""
    log = MemoryEventLog()
    log.create_topic(_LINES, 1)
    for _, line, timestamp, _ in lines(records):
        log.append(_LINES, None, line.encode(), timestamp)
    return log


def plan_of_words(log: MemoryEventLog) -> SparkPlan:
    """Return the plan of the count of words."""
    return plan_of_suite(log, _WORD_COUNT, _LINES, {_LINES: "string"})


def plan_of_suite(log: MemoryEventLog, workload: str, source: str, values: Mapping[str, str]) -> SparkPlan:
    """Return the plan of a workload of the suite; `values` has the formats of values by topic."""
    formats = {"json": JsonCodecs(), "string": PrimitiveCodecs("string")}
    codecs = TopicCodecs(formats, default_key="json", default_value="json", state="json", values=values)
    ports = RunPorts(log, MemoryEventSink(log), codecs, MemoryStateStores())
    built = suite_topology(workload, source, "results", merge=True)
    run = RunPlan.of(built, ports, RunOptions(application_id="path", emit="latest"))
    return SparkPlan(run, stage_line(run.topology), "path", 1)


def plan_of(log: MemoryEventLog, mode: str) -> SparkPlan:
    """Return the plan of a mode."""
    built = rekeyed() if mode == _REKEYED else topology(mode)
    emit = "every-update" if mode == "every-update" else "latest"
    ports = RunPorts(log, MemoryEventSink(log), JsonCodecs(), MemoryStateStores())
    run = RunPlan.of(built, ports, RunOptions(application_id="path", emit=emit))  # type: ignore[arg-type] # one of the two
    return SparkPlan(run, stage_line(built), "path", 1)


def rekeyed() -> Topology:
    """Return the topology that writes the prices of trades by their size, each after a repartition."""
    builder = TopologyBuilder()
    by_size = builder.stream(_TOPIC, key=str, value=Trade).select_key(lambda _, trade: str(trade.size), key=str, name="by-size")
    by_size.repartition(name="moved").map_values(lambda trade: trade.price, value=float).to("prices")
    return builder.build()


def seconds(run: Callable[[], object], times: int) -> float:
    """Return the least processor time of some runs, in seconds; garbage is collected between them only."""
    found = []
    for _ in range(times):
        gc.collect()
        gc.disable()
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
        gc.enable()
    return min(found)


def stages(found: Input) -> dict[str, Callable[[], object]]:
    """Return what to measure by name."""
    log, plan, topics = found
    read = {topic: [record for batch in log.read(topic, 0, 0, log.end_offset(topic, 0)) for record in batch] for topic in topics}
    messages = {topic: [_message(record) for record in records] for topic, records in read.items()}
    decoders = BatchDecoders(TopicDecoders(plan.run), None)
    ranges = Frame(
        Sender(0, 0, 0), Kind.RANGES, 0, json.dumps([[topic, 0, 0, len(read[topic]), False] for topic in topics]).encode()
    )

    def decoded() -> list[Sequence[IncomingRecord]]:
        return [
            decoders.of_source(topic)(records[start : start + _CHUNK], _refuse)
            for topic, records in read.items()
            for start in range(0, len(records), _CHUNK)
        ]

    def whole(stage: int = 0, frames: Sequence[Frame] = (ranges,)) -> tuple[HostedTask, list[Row]]:
        hosted = HostedTask(plan, stage, 0, 0)
        return hosted, list(hosted.run(frames, 0))

    chunks = list(_chunks(sorted(chain.from_iterable(decoded()), key=attrgetter("timestamp"))))

    def task() -> HostedTask:
        hosted = HostedTask(plan, 0, 0, 0)
        process_all, output = hosted.host.task.process_all, hosted.host.task.output
        for chunk in chunks:
            process_all(chunk)
            output.clear()
        return hosted

    hosted, rows = whole()
    received = [unpack_frame(row.frame) for row in rows if row.stage == 1]
    if received:
        hosted, _ = whole(1, received)
    results = hosted.take_results()
    return {
        "fetch: messages to records": lambda: [log_records(topic, 0, messages[topic]) for topic in topics],
        "decode": decoded,
        "task": task,
        "whole": whole,
        **({"next stage": lambda: whole(1, received)} if received else {}),
        "results for the sink": lambda: list(results.by_column()),
    }


def _message(record: LogRecord) -> Message:
    return Message(record.topic, 0, record.offset, record.key, record.value, None, None, (1, record.timestamp))


def _chunks(records: Sequence[IncomingRecord]) -> Iterator[Sequence[IncomingRecord]]:
    return (records[start : start + _CHUNK] for start in range(0, len(records), _CHUNK))


def _refuse(record: LogRecord, error: Exception) -> NoReturn:
    raise ValueError(record.offset) from error


def main() -> None:
    """Print a table of microseconds a record for each mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000, help="how many trades or lines [default: %(default)s]")
    parser.add_argument("--times", type=int, default=3, help="how often each is run [default: %(default)s]")
    modes = (*MODES, _WORD_COUNT, _REKEYED, *_JOINS)
    parser.add_argument("--mode", choices=modes, action="append", help="a mode to measure [default: all]")
    options = parser.parse_args()
    for mode in options.mode or modes:
        found = input_of(mode, options.records)
        records = sum(found.log.end_offset(topic, 0) for topic in found.topics)
        print(f"{mode}, {records:,} records")
        for name, run in stages(found).items():
            print(f"  {name:<28} {seconds(run, options.times) / records * _MICROSECONDS:6.2f} us", flush=True)


if __name__ == "__main__":
    main()
