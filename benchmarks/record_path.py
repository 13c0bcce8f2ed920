"""Measures where the processor time of a record goes in a worker, without Kafka and Spark: `python -m benchmarks.record_path`.

Trades as JSON in one partition of a log in memory, 5 s windows that advance by 1 s. Each stage is measured alone, on what the
stage before it has returned; `whole` is one task in a batch, from the records of the log to its results. The times are of the
processor, the least of some runs.
"""

import argparse
import gc
import random
import time
from collections.abc import Callable
from typing import Any, Final

from confluent_kafka import Message

from benchmarks.kafka_to_kafka import MODES, topology
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.records import log_records
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender
from eddyline.adapters.spark.exchange.task_results import TaskResults
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.worker.hosted_task import HostedTask
from eddyline.application.runtime.decoding import TopicDecoders
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.run_plan import RunPlan

_TOPIC: Final = "trades"
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


def stages(log: MemoryEventLog, plan: SparkPlan, records: int) -> dict[str, Callable[[], object]]:
    """Return what to measure by name."""
    read = [record for batch in log.read(_TOPIC, 0, 0, records) for record in batch]
    messages = [Message(_TOPIC, 0, record.offset, record.key, record.value, None, None, (1, record.timestamp)) for record in read]
    decode = TopicDecoders(plan.run).of_source(_TOPIC)
    ranges = Frame(Sender(0, 0, 0), Kind.RANGES, 0, f'[["{_TOPIC}", 0, 0, {records}, false]]'.encode())

    def whole() -> TaskResults:
        hosted = HostedTask(plan, 0, 0, 0)
        list(hosted.run([ranges], 0))
        return hosted.take_results()

    decoded = [decode(record) for record in read]

    def task() -> list[Any]:
        process = HostedTask(plan, 0, 0, 0).host.task.process
        for record, (key, value, headers) in zip(read, decoded, strict=True):
            process(_TOPIC, key, value, record.timestamp, headers, partition=0, offset=record.offset)
        return []

    results = whole()
    return {
        "fetch: messages to records": lambda: log_records(_TOPIC, 0, messages),
        "decode": lambda: [decode(record) for record in read],
        "task": task,
        "whole": whole,
        "results for the sink": lambda: list(results),
    }


def main() -> None:
    """Print a table of microseconds a record for each mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000, help="how many trades [default: %(default)s]")
    parser.add_argument("--times", type=int, default=3, help="how often each is run [default: %(default)s]")
    parser.add_argument("--mode", choices=MODES, action="append", help="a mode to measure [default: all]")
    options = parser.parse_args()
    log = filled_log(options.records)
    for mode in options.mode or MODES:
        print(mode)
        for name, run in stages(log, plan_of(log, mode), options.records).items():
            print(f"  {name:<28} {seconds(run, options.times) / options.records * _MICROSECONDS:6.2f} us", flush=True)


if __name__ == "__main__":
    main()
