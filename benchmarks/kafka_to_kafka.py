"""Stock statistics from Kafka to Kafka on Spark, exactly once: records a second by batch, an almost empty batch, and memory.

    python -m benchmarks.kafka_to_kafka [--records N] [--batch N] [--way WAY ...] [--bootstrap-servers HOST:PORT]

Trades as JSON in a topic of four partitions, windows of 5 s advancing by 1 s. The ways: `every-update` takes the general path
and lets five updates leave for each trade; `general-latest` takes the general path too, but only the last update of each key
and batch leaves; `latest` folds in panes. `--records 5000000` shows that memory stays bounded on a large backlog.
"""

import argparse
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks.kafka_place import PARTITIONS, Watch, broker, count_records, fill
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.report import Progress, RunReport
from eddyline.application.topology import Topology, TopologyBuilder, hopping
from eddyline.domain.trading import Trade, TradeStats

WAYS: Final = ("every-update", "general-latest", "latest")
_UPDATES_A_TRADE: Final = 5
_SMALL_BATCHES: Final = 8
_SMALL: Final = 20
_WAIT_S: Final = 60.0
_POLL_S: Final = 0.02


class Batches:
    """Prints a line a batch and remembers records and records a second of each."""

    def __init__(self) -> None:
        self._batches: list[tuple[int, float]] = []
        self._done = 0

    def __call__(self, progress: Progress, report: RunReport) -> None:
        """Takes the news of one batch."""
        del report
        records = progress.done - self._done
        self._done = progress.done
        rate = records / progress.seconds
        self._batches.append((records, rate))
        print(f"  batch {progress.batch}: {records:>9,} records in {progress.seconds:5.2f} s, {rate:>8,.0f}/s", flush=True)

    def warm(self, batch: int) -> list[float]:
        """Records a second of the full batches but the first, in which Java and the workers get going."""
        full = [rate for records, rate in self._batches if records > batch // 2]
        return full[1:] or full


def topology(way: str) -> Topology:
    """The stock statistics, into a topic of the way's own; without a merge the general path is all there is."""
    builder = TopologyBuilder()
    (
        builder.stream("trades", key=str, value=Trade)
        .group_by_key()
        .windowed_by(hopping(5_000, advance=1_000, grace=0))
        .aggregate(
            TradeStats,
            TradeStats.of_ticker,
            merge=None if way.startswith("general") else TradeStats.merge,
            with_key=True,
            store="trade-aggregates",
        )
        .to_stream()
        .map_values(TradeStats.summary)
        .to(f"stats-{way}")
    )
    return builder.build()


def engine(settings: KafkaSettings, folder: Path, way: str, batch: int) -> SparkEngine:
    """An engine of an application of its own."""
    return SparkEngine(
        topology(way),
        RunPorts(KafkaEventLog(settings), KafkaEventSink(settings), JsonCodecs(), MemoryStateStores()),
        RunOptions(
            application_id=f"bench-{way}",
            emit="every-update" if way == "every-update" else "latest",
            max_batch_records=batch,
            trigger_interval_ms=0,
            new_topic_partitions=PARTITIONS,
        ),
        checkpoint_dir=folder / way,
        master="local[2]",
    )


def small_batches(running: SparkEngine, settings: KafkaSettings, written: int) -> list[float]:
    """Seconds of batches of some records each, in a run that goes on: from when they are in the log until all is written."""
    running.start()
    seconds = []
    try:
        for number in range(_SMALL_BATCHES):
            wanted = running.report.records + _SMALL
            fill(settings, "trades", written + number * _SMALL, _SMALL)
            begin = time.monotonic()
            while running.report.records < wanted and time.monotonic() < begin + _WAIT_S:
                running.await_termination(_POLL_S)
            seconds.append(time.monotonic() - begin)
    finally:
        running.stop()
    return seconds[1:]


def measure(settings: KafkaSettings, folder: Path, way: str, *, waiting: int, batch: int) -> int:
    """Works off what waits, checks that nothing is missing, and times small batches; gives how many records there are then."""
    print(f"{way}: {waiting:,} records in batches of {batch:,}; load average {os.getloadavg()[0]:.1f}", flush=True)
    followed = Batches()
    running = engine(settings, folder, way, batch)
    begin = time.monotonic()
    with Watch() as watch:
        report = running.run_available_now(followed)
    whole = waiting / (time.monotonic() - begin)
    warm = followed.warm(batch)
    print(f"  warm batches: median {statistics.median(warm):,.0f}/s, slowest {min(warm):,.0f}/s; with the start {whole:,.0f}/s")
    spent = ", ".join(f"{kind} {seconds / waiting * 1e6:.1f}" for kind, seconds in watch.seconds.items())
    print(f"  processor time in us a record: {spent}")
    print(f"  memory: Java at most {watch.peak.java:,} MB, Python {watch.peak.python:,} MB; over time", end=" ")
    print(", ".join(f"{point.java}+{point.python}" for point in watch.curve()))
    found = count_records(settings, f"stats-{way}")
    if report.records != waiting or report.drops or (way == "every-update" and found != waiting * _UPDATES_A_TRADE):
        raise SystemExit(f"  something is missing: {report.records:,} taken, {found:,} written, left out {dict(report.drops)}")
    print(f"  {found:,} updates in the topic")
    small = small_batches(running, settings, waiting)
    print(f"  batches of {_SMALL}: median {statistics.median(small):.2f} s, slowest {max(small):.2f} s", flush=True)
    running.close()
    return waiting + _SMALL * _SMALL_BATCHES


def main() -> None:
    """Fills the topic, then measures each way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=2_000_000)
    parser.add_argument("--batch", type=int, default=500_000)
    parser.add_argument("--way", choices=WAYS, action="append")
    parser.add_argument("--bootstrap-servers")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, broker(Path(name), given.bootstrap_servers) as settings:
        fill(settings, "trades", 0, given.records)
        waiting = given.records
        for way in given.way or WAYS:
            waiting = measure(settings, Path(name), way, waiting=waiting, batch=given.batch)


if __name__ == "__main__":
    main()
