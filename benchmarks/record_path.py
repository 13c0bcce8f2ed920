"""Measures where the processor time of a record goes in a worker, without Kafka and Spark: `python -m benchmarks.record_path`.

Trades as JSON in one partition of a log in memory, 5 s windows that advance by 1 s. With the mode `word-count` lines of 6 to 10
words, whose words are counted after a repartition; `next stage` is the task that merges the counts. Each stage is measured
alone, on what the stage before it has returned; `whole` is one task in a batch, from the records of the log to its results. The
times are of the processor, the least of some runs.
"""

import argparse
import gc
import random
import time
from collections.abc import Callable, Sequence
from typing import Final, NoReturn

from confluent_kafka import Message

from benchmarks.kafka_to_kafka import MODES, topology
from benchmarks.suite.topologies import topology as words
from benchmarks.suite.workloads import lines
from eddyline.adapters.codecs.topic_codecs import TopicCodecs
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.records import log_records
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.primitive.codecs import PrimitiveCodecs
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, unpack_frame
from eddyline.adapters.spark.exchange.rows import Row
from eddyline.adapters.spark.exchange.task_results import TaskResults
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.worker.hosted_task import HostedTask
from eddyline.application.ports.event_log import LogRecord
from eddyline.application.runtime.batch_decoding import BatchDecoders
from eddyline.application.runtime.decoding import TopicDecoders
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.record_queue import IncomingRecord
from eddyline.application.runtime.run_plan import RunPlan

_TOPIC: Final = "trades"
_LINES: Final = "lines"
_WORD_COUNT: Final = "word-count"
_CHUNK: Final = 256
_START_MS: Final = 1_700_000_000_000
_TRADES_PER_MS: Final = 5
_MICROSECONDS: Final = 1_000_000


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
    formats = {"json": JsonCodecs(), "string": PrimitiveCodecs("string")}
    codecs = TopicCodecs(formats, default_key="json", default_value="json", state="json", values={_LINES: "string"})
    ports = RunPorts(log, MemoryEventSink(log), codecs, MemoryStateStores())
    built = words("word-count", _LINES, "counts", merge=True)
    run = RunPlan.of(built, ports, RunOptions(application_id="path", emit="latest"))
    return SparkPlan(run, stage_line(run.topology), "path", 1)


def plan_of(log: MemoryEventLog, mode: str) -> SparkPlan:
    """Return the plan of a mode."""
    built = topology(mode)
    emit = "every-update" if mode == "every-update" else "latest"
    ports = RunPorts(log, MemoryEventSink(log), JsonCodecs(), MemoryStateStores())
    run = RunPlan.of(built, ports, RunOptions(application_id="path", emit=emit))  # type: ignore[arg-type] # one of the two
    return SparkPlan(run, stage_line(built), "path", 1)


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


def stages(log: MemoryEventLog, plan: SparkPlan, records: int, topic: str) -> dict[str, Callable[[], object]]:
    """Return what to measure by name."""
    read = [record for batch in log.read(topic, 0, 0, records) for record in batch]
    messages = [Message(topic, 0, record.offset, record.key, record.value, None, None, (1, record.timestamp)) for record in read]
    decode = BatchDecoders(TopicDecoders(plan.run), None).of_source(topic)
    ranges = Frame(Sender(0, 0, 0), Kind.RANGES, 0, f'[["{topic}", 0, 0, {records}, false]]'.encode())

    def decoded() -> list[list[IncomingRecord]]:
        return [decode(read[start : start + _CHUNK], _refuse) for start in range(0, len(read), _CHUNK)]

    def whole(stage: int = 0, frames: Sequence[Frame] = (ranges,)) -> tuple[TaskResults, list[Row]]:
        hosted = HostedTask(plan, stage, 0, 0)
        rows = list(hosted.run(frames, 0))
        return hosted.take_results(), rows

    chunks = decoded()

    def task() -> None:
        process_all = HostedTask(plan, 0, 0, 0).host.task.process_all
        for chunk in chunks:
            process_all(chunk)

    results, rows = whole()
    received = [unpack_frame(row.frame) for row in rows if row.stage == 1]
    if received:
        results, _ = whole(1, received)
    return {
        "fetch: messages to records": lambda: log_records(topic, 0, messages),
        "decode": decoded,
        "task": task,
        "whole": whole,
        **({"next stage": lambda: whole(1, received)} if received else {}),
        "results for the sink": lambda: list(results),
    }


def _refuse(record: LogRecord, error: Exception) -> NoReturn:
    raise ValueError(record.offset) from error


def main() -> None:
    """Print a table of microseconds a record for each mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000, help="how many trades or lines [default: %(default)s]")
    parser.add_argument("--times", type=int, default=3, help="how often each is run [default: %(default)s]")
    parser.add_argument("--mode", choices=(*MODES, _WORD_COUNT), action="append", help="a mode to measure [default: all]")
    options = parser.parse_args()
    for mode in options.mode or (*MODES, _WORD_COUNT):
        print(mode)
        if mode == _WORD_COUNT:
            topic, log = _LINES, log_of_lines(options.records)
            plan = plan_of_words(log)
        else:
            topic, log = _TOPIC, filled_log(options.records)
            plan = plan_of(log, mode)
        for name, run in stages(log, plan, options.records, topic).items():
            print(f"  {name:<28} {seconds(run, options.times) / options.records * _MICROSECONDS:6.2f} us", flush=True)


if __name__ == "__main__":
    main()
