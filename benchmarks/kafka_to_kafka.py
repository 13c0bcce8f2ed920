"""Measures stock statistics from Kafka to Kafka on Spark, exactly once: throughput, latency of a small batch, and memory.

    python -m benchmarks.kafka_to_kafka [--records N] [--batch N] [--mode MODE ...] [--bootstrap-servers HOST:PORT]

The input is trades as JSON in a topic of four partitions; the windows are 5 s long and advance by 1 s. The modes: with
`every-update`, every update of an aggregate is emitted, which is five per trade; with `general-latest`, only the final update
per key and batch; with `latest` the same, by pane aggregation. `--records 5000000` shows the memory for a large backlog.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks.kafka_trades import PARTITIONS, broker, count_records, write_trades
from benchmarks.process_usage import ProcessUsage
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.progress.report import Progress, RunReport
from eddyline.application.topology import Topology, TopologyBuilder, hopping
from eddyline.domain.trading import Trade, TradeStats

MODES: Final = ("every-update", "general-latest", "latest")
_UPDATES_PER_TRADE: Final = 5
_SMALL_BATCHES: Final = 8
_SMALL_BATCH_RECORDS: Final = 20
_TIMEOUT_S: Final = 60.0
_POLL_S: Final = 0.02


class Batches:
    """A listener that prints a line per batch and records its throughput."""

    def __init__(self) -> None:
        self._batches: list[tuple[int, float]] = []
        self._done = 0

    def __call__(self, progress: Progress, report: RunReport) -> None:
        """Handle the end of a batch."""
        del report
        records = progress.done - self._done
        self._done = progress.done
        throughput = records / progress.seconds
        self._batches.append((records, throughput))
        print(f"  batch {progress.batch}: {records:>9,} records in {progress.seconds:5.2f} s, {throughput:>8,.0f}/s", flush=True)

    def warm(self, batch: int) -> list[float]:
        """Return the throughput (records per second) of each full batch but the first, which warms up Java and the workers."""
        full = [throughput for records, throughput in self._batches if records > batch // 2]
        return full[1:] or full


def topology(mode: str) -> Topology:
    """Return the topology of the stock statistics, which writes to a topic for each mode; a merge enables pane aggregation."""
    builder = TopologyBuilder()
    (
        builder.stream("trades", key=str, value=Trade)
        .group_by_key()
        .windowed_by(hopping(5_000, advance=1_000, grace=0))
        .aggregate(
            TradeStats,
            TradeStats.aggregate,
            merge=None if mode.startswith("general") else TradeStats.merge,
            with_key=True,
            store="trade-aggregates",
        )
        .to_stream()
        .map_values(TradeStats.summary)
        .to(f"stats-{mode}")
    )
    return builder.build()


def engine(settings: KafkaSettings, folder: Path, mode: str, batch: int) -> SparkEngine:
    """Return an engine for the mode, with an application id and a checkpoint for it."""
    return SparkEngine(
        topology(mode),
        RunPorts(KafkaEventLog(settings), KafkaEventSink(settings), JsonCodecs(), MemoryStateStores()),
        RunOptions(
            application_id=f"bench-{mode}",
            emit="every-update" if mode == "every-update" else "latest",
            max_batch_records=batch,
            trigger_interval_ms=0,
            new_topic_partitions=PARTITIONS,
        ),
        checkpoint_dir=folder / mode,
        spark_config={"spark.master": "local[2]"},
    )


def small_batches(running: SparkEngine, settings: KafkaSettings, written: int) -> list[float]:
    """Return the latency of small batches in seconds: from when their records are in the log to when all results are written."""
    running.start()
    seconds = []
    try:
        for number in range(_SMALL_BATCHES):
            wanted = running.report.records + _SMALL_BATCH_RECORDS
            write_trades(settings, "trades", written + number * _SMALL_BATCH_RECORDS, _SMALL_BATCH_RECORDS)
            begin = time.monotonic()
            while running.report.records < wanted and time.monotonic() < begin + _TIMEOUT_S:
                running.await_termination(_POLL_S)
            seconds.append(time.monotonic() - begin)
    finally:
        running.stop()
    return seconds[1:]


def measure(settings: KafkaSettings, folder: Path, mode: str, *, backlog: int, batch: int) -> int:
    """Process the backlog, check that no result is missing, and measure small batches.

    Returns:
        How many records the topic has then.
    """
    print(f"{mode}: {backlog:,} records in batches of {batch:,}; load average {os.getloadavg()[0]:.1f}", flush=True)
    batches = Batches()
    running = engine(settings, folder, mode, batch)
    begin = time.monotonic()
    with ProcessUsage() as usage:
        report = running.run_available_now(batches)
    with_start = backlog / (time.monotonic() - begin)
    warm = batches.warm(batch)
    print(
        f"  warm batches: median {statistics.median(warm):,.0f}/s, slowest {min(warm):,.0f}/s; with the start {with_start:,.0f}/s"
    )
    times = ", ".join(f"{kind} {seconds / backlog * 1e6:.1f}" for kind, seconds in usage.seconds.items())
    print(f"  processor time per record in us: {times}")
    print(f"  peak memory: Java {usage.peak.java:,} MB, Python {usage.peak.python:,} MB; over time", end=" ")
    print(", ".join(f"{point.java}+{point.python}" for point in usage.curve()))
    found = count_records(settings, f"stats-{mode}")
    if report.records != backlog or report.drops or (mode == "every-update" and found != backlog * _UPDATES_PER_TRADE):
        raise SystemExit(f"  results are missing: {report.records:,} read, {found:,} written, dropped {dict(report.drops)}")
    print(f"  {found:,} results in the topic")
    small = small_batches(running, settings, backlog)
    print(f"  batches of {_SMALL_BATCH_RECORDS}: median {statistics.median(small):.2f} s, slowest {max(small):.2f} s", flush=True)
    running.close()
    return backlog + _SMALL_BATCH_RECORDS * _SMALL_BATCHES


def main() -> None:
    """Write the trades, then measure each mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=2_000_000, help="how many trades [default: %(default)s]")
    parser.add_argument("--batch", type=int, default=500_000, help="records per batch [default: %(default)s]")
    parser.add_argument("--mode", "--way", choices=MODES, action="append", help="a mode to measure [default: all]")
    parser.add_argument("--bootstrap-servers", help="the brokers [default: start one]")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, broker(Path(name), options.bootstrap_servers) as settings:
        write_trades(settings, "trades", 0, options.records)
        backlog = options.records
        for mode in options.mode or MODES:
            backlog = measure(settings, Path(name), mode, backlog=backlog, batch=options.batch)


if __name__ == "__main__":
    main()
