"""Measures the processor time of NEXMark queries without Kafka and Spark: `python -m benchmarks.nexmark_path`.

All tasks of a query run in one process, stage by stage, from the records of a log in memory to packed results and the encoded
changes of the state: what the workers of Spark do, for batches of the same number of records. A time is the processor's, in
microseconds for each record that the query reads, the least of some runs. `--profile` prints where it goes.
"""

import argparse
import cProfile
import gc
import json
import pstats
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

from benchmarks.nexmark import QUERIES, topology
from benchmarks.nexmark_events import PARTITIONS, Topics, records_of
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, unpack_frame
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.adapters.spark.worker.hosted_task import HostedTask
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.plan.partitioner import partition_for
from eddyline.application.runtime.plan.run_plan import RunPlan

_THRESHOLDS = 100_000, 20, 20
"""Those of the workers."""


def filled_log(events: int) -> MemoryEventLog:
    """Return a log with events, each topic in as many partitions as with Kafka."""
    log = MemoryEventLog()
    topics = Topics.named_by_kind()
    for topic in topics.records:
        log.create_topic(topic, PARTITIONS)
    for topic, key, value, timestamp, _ in records_of(events, topics.records, topics):
        data = str(key).encode()
        log.append(topic, data, str(value).encode(), timestamp, partition=partition_for(data, PARTITIONS))
    return log


class Run:
    """A run of a query."""

    def __init__(self, log: MemoryEventLog, query: str) -> None:
        ports = RunPorts(log, MemoryEventSink(log), JsonCodecs(), MemoryStateStores())
        options = RunOptions(application_id="path", emit="latest", new_topic_partitions=PARTITIONS)
        run = RunPlan.of(topology(query), ports, options)
        self.plan = SparkPlan(run, stage_line(run.topology), "path", PARTITIONS)
        self.seconds: dict[int, float] = defaultdict(float)
        self.sent: dict[int, int] = defaultdict(int)
        self.results = 0
        self._tasks: dict[tuple[int, int], HostedTask] = {}

    def batch(self, ranges: Mapping[tuple[str, int], tuple[int, int]]) -> None:
        """Process offset ranges, given by topic and partition."""
        waiting: dict[tuple[int, int], list[Frame]] = defaultdict(list)
        for stage, sub in enumerate(self.plan.line):
            topics = self.plan.run.source_topics(sub)
            for (topic, partition), (start, end) in ranges.items():
                if topic in topics:
                    body = json.dumps([[topic, partition, start, end, False]]).encode()
                    waiting[stage, partition].append(Frame(Sender(0, 0, 0), Kind.RANGES, 0, body))
        for stage in range(len(self.plan.line)):
            begun = time.process_time()
            for number in range(PARTITIONS):
                self._task(stage, number, _joined(waiting[stage, number]), waiting)
            self.seconds[stage] += time.process_time() - begun

    def _task(self, stage: int, number: int, frames: Sequence[Frame], waiting: dict[tuple[int, int], list[Frame]]) -> None:
        task = self._tasks.get((stage, number))
        if task is None:
            task = self._tasks[stage, number] = HostedTask(self.plan, stage, number, 0)
        for row in task.run(frames, 0):
            if row.stage >= 0:
                waiting[row.stage, row.task].append(unpack_frame(row.frame))
                self.sent[row.stage] += 1
        self.results += sum(1 for _ in task.take_results())


def _joined(frames: Sequence[Frame]) -> list[Frame]:
    """Return frames with all offset ranges in one."""
    ranges = [found for frame in frames if frame.kind is Kind.RANGES for found in json.loads(frame.body)]
    others = [frame for frame in frames if frame.kind is Kind.RECORDS]
    return [*([Frame(Sender(0, 0, 0), Kind.RANGES, 0, json.dumps(ranges).encode())] if ranges else []), *others]


def measure(log: MemoryEventLog, query: str, batches: int) -> tuple[Run, int]:
    """Run a query over the whole log; return the run and the number of records that it has read."""
    run = Run(log, query)
    ends = {
        (spec.name, partition): log.end_offset(spec.name, partition)
        for spec in run.plan.run.topology.source_topics
        for partition in range(PARTITIONS)
    }
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
    for number in range(batches):
        run.batch({at: (end * number // batches, end * (number + 1) // batches) for at, end in ends.items()})
    return run, sum(ends.values())


def main() -> None:
    """Print microseconds a record for each query and stage."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=200_000, help="how many events [default: %(default)s]")
    parser.add_argument("--batches", type=int, default=2, help="in how many batches [default: %(default)s]")
    parser.add_argument("--times", type=int, default=3, help="how often each query is run [default: %(default)s]")
    parser.add_argument("--query", choices=QUERIES, action="append", help="a query to measure [default: all]")
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    options = parser.parse_args()
    log = filled_log(options.events)
    for query in options.query or QUERIES:
        if options.profile:
            with cProfile.Profile() as profile:
                measure(log, query, options.batches)
            pstats.Stats(profile).sort_stats("tottime").print_stats(28)
            continue
        runs = [measure(log, query, options.batches) for _ in range(options.times)]
        best, records = min(runs, key=lambda found: sum(found[0].seconds.values()))
        stages = " + ".join(f"{seconds / records * 1e6:.2f}" for seconds in best.seconds.values())
        whole = sum(best.seconds.values()) / records * 1e6
        print(f"{query:<4} {whole:6.2f} us = {stages}; {best.results:,} results of {records:,} records", flush=True)


if __name__ == "__main__":
    main()
