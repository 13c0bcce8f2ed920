"""Measures the throughput of NEXMark queries from Kafka to Kafka on Spark, exactly once; with --peers beside Flink SQL.

    python -m benchmarks.nexmark [--events N] [--batch N] [--query QUERY ...] [--peers] [--bootstrap-servers HOST:PORT]

The input is the events of examples/nexmark as JSON in the topics `person`, `auction` and `bid`, each of four partitions, with
1 ms of event time between two events. A rate is of the records that a query reads. `whole` is from the start of the first batch
(of Flink: of the job) to the end; `warm` leaves out the first of four quarters, which warms up Java and the workers. Windows
wait for late events for 4 s, as those of Flink do; windows over several partitions wait for 1 or 5 min, since partitions are not
read at the same speed, and Flink makes the faster ones wait. It is an error if an event is dropped.

Flink SQL runs in an environment of its own, which is made in build/peers, with the same number of cores; it reads the same
topics until their end and writes with transactions, too. Its `warm`, and its processor time, begin when a quarter has been read.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from benchmarks.goals import print_goal
from benchmarks.kafka_trades import ROOT, broker
from benchmarks.nexmark_events import PARTITIONS, read_once, write_events
from benchmarks.nexmark_flink import FlinkSql
from benchmarks.process_usage import ProcessUsage
from benchmarks.producing import create_internal_topics
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.progress.report import Progress, RunReport
from eddyline.application.topology import Topology

sys.path[:0] = [str(ROOT / "examples" / "nexmark")]
from nexmark.flows import FLOWS  # noqa: E402 - found by the line above

QUERIES: Final = ("q0", "q1", "q2", "q4", "q5", "q7", "q8", "q11")
_GRACE_MS: Final = {"q4": 60_000, "q7": 300_000, "q8": 300_000, "q11": 300_000}
"""How late an event may be in queries over the records of several partitions, which are not read at the same speed."""


_TIMES_EVENTS: Final = {"q8": 5}
"""The factor of the number of events for queries that do not read bids, which are 46 of 50 events."""
_EQUAL: Final = {"q5", "q7", "q8", "q11"}
"""The queries whose goal is the throughput of Flink; that of the others is half of it."""


class Rates(NamedTuple):
    """Records per second, whole and warm, and the processor time per record, in microseconds."""

    whole: float
    warm: float
    cpu_us: float


Result: TypeAlias = tuple[str, Rates, Rates | None]
"""A query, and what was measured of it and of Flink SQL."""


class Batches:
    """A listener that records the number of records and the seconds of each batch."""

    def __init__(self) -> None:
        self.batches: list[tuple[int, float]] = []
        self._done = 0

    def __call__(self, progress: Progress, report: RunReport) -> None:
        """Handle the end of a batch."""
        del report
        self.batches.append((progress.done - self._done, progress.seconds))
        self._done = progress.done
        print(f"  batch {progress.batch}: {self.batches[-1][0]:>9,} records in {progress.seconds:5.2f} s", flush=True)

    def rate(self, skipped: int = 0) -> float:
        """Return the records per second without the first `skipped` batches."""
        counted = self.batches[skipped:] or self.batches
        return sum(records for records, _ in counted) / sum(seconds for _, seconds in counted)


def topology(query: str) -> Topology:
    """Return the topology of a query."""
    (flow,) = [flow for flow in FLOWS if flow.name == f"nexmark-{query}"]
    return flow.topology(**({"grace_ms": _GRACE_MS[query]} if query in _GRACE_MS else {}))


def topics_of(query: str) -> list[str]:
    """Return the topics that a query reads, which have the names of the kinds of events."""
    return [spec.name for spec in topology(query).source_topics]


def measure(settings: KafkaSettings, folder: Path, query: str, *, batch: int | None) -> Rates:
    """Process all events with Eddyline and check that none was dropped.

    Raises:
        SystemExit: If records were not read, or were dropped.
    """
    found, batches = topology(query), Batches()
    log = KafkaEventLog(settings)
    expected = sum(
        log.end_offset(spec.name, number) for spec in found.source_topics for number in range(log.partitions(spec.name))
    )
    log.close()
    running = SparkEngine(
        found,
        RunPorts(KafkaEventLog(settings), KafkaEventSink(settings), JsonCodecs(), MemoryStateStores()),
        RunOptions(
            application_id=f"bench-nexmark-{query}",
            emit="latest",
            max_batch_records=batch or -(-expected // 4),
            trigger_interval_ms=0,
            new_topic_partitions=PARTITIONS,
        ),
        checkpoint_dir=folder / query,
        spark_config={"spark.master": "local[2]"},
    )
    with ProcessUsage() as usage:
        report = running.run_available_now(batches)
    running.close()
    if report.records != expected or report.drops:
        raise SystemExit(f"  {query} read {report.records:,} of {expected:,} records and dropped {dict(report.drops)}")
    cpu = usage.seconds["java"] + usage.seconds["python"]
    return Rates(batches.rate(), batches.rate(1), cpu / expected * 1e6)


def run(
    settings: KafkaSettings, folder: Path, queries: Sequence[str], events: int, *, batch: int | None, flink: FlinkSql | None
) -> Iterator[Result]:
    """Write events, then measure queries; yield what was measured."""
    read = {topic for query in queries for topic in topics_of(query)}
    print(f"writing the records of {events:,} events in the topics {', '.join(sorted(read))}", flush=True)
    topics = write_events(settings, events, read)
    create_internal_topics(settings)
    read_once(settings, topics)
    for query in queries:
        print(f"{query}: load average {os.getloadavg()[0]:.1f}", flush=True)
        own = measure(settings, folder, query, batch=batch)
        other = None if flink is None else Rates(*flink.rates(settings, query, topics_of(query), topics))
        yield query, own, other


def table(results: Sequence[Result]) -> str:
    """Return the results as a Markdown table."""
    lines = [
        "| query | Eddyline, whole | warm | CPU µs per record | Flink SQL, whole | warm | CPU µs per record | whole ÷ | warm ÷ |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for query, own, other in results:
        ratios = ("", "") if other is None else (f"{own.whole / other.whole:.2f}", f"{own.warm / other.warm:.2f}")
        cells = [query, *_cells(own), *(("", "", "") if other is None else _cells(other)), *ratios]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _cells(rates: Rates) -> tuple[str, str, str]:
    return f"{rates.whole:,.0f}", f"{rates.warm:,.0f}", f"{rates.cpu_us:.1f}"


def main() -> None:
    """Write the events, then measure each query."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=500_000, help="how many events, for q8 5 times [default: %(default)s]")
    parser.add_argument("--batch", type=int, help="records per batch [default: a quarter of those that the query reads]")
    parser.add_argument("--query", choices=QUERIES, action="append", help="a query to measure [default: all]")
    parser.add_argument("--peers", action="store_true", help="measure Flink SQL, too")
    parser.add_argument("--bootstrap-servers", help="the brokers [default: start one]")
    options = parser.parse_args()
    flink = FlinkSql() if options.peers else None
    queries = options.query or QUERIES
    results: list[Result] = []
    for times in sorted({_TIMES_EVENTS.get(query, 1) for query in queries}):
        chosen = [query for query in queries if _TIMES_EVENTS.get(query, 1) == times]
        with tempfile.TemporaryDirectory() as name, broker(Path(name), options.bootstrap_servers) as settings:
            results += run(settings, Path(name), chosen, options.events * times, batch=options.batch, flink=flink)
    print(table(results))
    for query, own, other in results:
        if other is not None:
            least = 1 if query in _EQUAL else 0.5
            print_goal(f"{query} beside Flink SQL, whole records/s", own.whole / other.whole, least)
            print_goal(f"{query} beside Flink SQL, warm records/s", own.warm / other.warm, least)


if __name__ == "__main__":
    main()
