"""Where the time of a warm batch goes: `python -m benchmarks.batch_parts [--rate N] [--seconds N]`.

Stock statistics without windows run from Kafka to Kafka on Spark, exactly once, while trades are produced at a fixed rate, as in
the suite's measurement of latency. The parts of a batch are between the moments that the driver and the workers write, and what
Spark reports about each batch. They add up to the mean time between the starts of two batches.
"""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean
from typing import Final

from benchmarks.kafka_trades import PARTITIONS, broker
from benchmarks.producing import create_internal_topics
from benchmarks.suite import latency
from benchmarks.traced.moments import VARIABLE, Moment, read
from benchmarks.traced.parts import Batch, Parts, batches, cut, first, last, mean, planning
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics

_WARM_S: Final = 15.0
_MS: Final = 1_000
_METRICS: Final = ("commitTimeMs", "rocksdbCommitFileSyncLatencyMs", "rocksdbCommitFlushLatency", "rocksdbLoadLatencyMs")


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=int, default=2_000, help="records per second [default: %(default)s]")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long batches are measured [default: %(default)s]")
    options = parser.parse_args()
    print(f"load average at the start: {os.getloadavg()[0]:.1f}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder, broker(Path(folder)) as settings:
        file = Path(folder, "moments")
        found = _run(settings, Path(folder), file, rate=options.rate, seconds=options.seconds)
        moments = read(file)
    print(f"p50 {found.p50_ms} ms, p99 {found.p99_ms} ms, {options.rate:,} records/s, with the marks of this benchmark\n")
    warm_from = moments[-1].at - options.seconds
    warm = [batch for batch in batches(moments) if batch.begin >= warm_from]
    pairs = list(itertools.pairwise(warm))
    parts = mean([batch_parts(moments, batch, following.begin) for batch, following in pairs])
    print(f"| part of a batch (mean of {len(pairs)}) | ms |\n|---|---:|")
    for name, seconds in parts.items():
        print(f"| {name} | {seconds * _MS:.0f} |")
    print(f"| from batch to batch | {sum(parts.values()) * _MS:.0f} |\n")
    print("| of the parts above | ms |\n|---|---:|")
    for name in ("sink", "task", "stage"):
        print(f"| one {name}, mean | {_mean_of(moments, name, warm[0].begin, warm[-1].end) * _MS:.0f} |")
    for name in _METRICS:
        values = [sum(state.get(name, 0.0) for state in batch.states) for batch in warm]
        print(f"| {name}, of all Spark partitions together | {fmean(values):.0f} |")


def _run(settings: KafkaSettings, folder: Path, moments: Path, *, rate: int, seconds: float) -> latency.Latency:
    create_internal_topics(settings)
    name = f"batch-parts-{time.time_ns()}"
    topics = (f"{name}-source", f"{name}-results")
    for topic in topics:
        Topics(settings).create(topic, PARTITIONS)
    environment = {
        **os.environ,
        "BOOTSTRAP_SERVERS": settings.bootstrap_servers,
        "SOURCE": topics[0],
        "SINK": topics[1],
        "RECORDS": "0",
        "NAME": name,
        "FOLDER": str(folder),
        VARIABLE: str(moments),
    }
    with Path(folder, "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.traced.program", "latency"],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
    return latency.measure(settings, process, topics, rate=rate, warm_s=_WARM_S, seconds=seconds)


def batch_parts(moments: list[Moment], batch: Batch, next_begin: float) -> Parts:
    """Return the parts of a batch, until the next one begins."""
    called = last(moments, "batch-end", batch.end)
    return cut(
        batch.begin,
        [
            *planning(moments, batch),
            ("tasks, until the first one writes", first(moments, "sink-begin", batch.begin)),
            ("tasks, until the last one has written", last(moments, "sink-end", called)),
            ("workers, until the last one has sent its rows", last(moments, "stage-end", called)),
            ("stores committed by Spark, rows sent to the driver", called),
            ("log of commits (commitOffsets)", called + batch.durations.get("commitOffsets", 0.0)),
            ("end of addBatch and of the trigger", batch.end),
            ("until the next batch begins", next_begin),
        ],
    )


def _mean_of(moments: list[Moment], name: str, begin: float, end: float) -> float:
    """Return how long functions of this name lasted in these batches, in which as many begin as end."""
    between = [moment for moment in moments if begin <= moment.at <= end]
    begins = [moment.at for moment in between if moment.name == f"{name}-begin"]
    ends = [moment.at for moment in between if moment.name == f"{name}-end"]
    return (sum(ends) - sum(begins)) / len(begins) if len(begins) == len(ends) else float("nan")


if __name__ == "__main__":
    main()
