"""Eddyline as a program of the suite: `python -m benchmarks.suite.eddyline_program WORKLOAD`, set by environment variables."""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.suite.marks import mark
from eddyline.adapters.codecs.topic_codecs import TopicCodecs
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.local.engine import LocalEngine
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.primitive.codecs import PrimitiveCodecs
from eddyline.adapters.settings import Settings
from eddyline.adapters.system.clock import SystemClock
from eddyline.adapters.wiring.kafka_streams import kafka_streams
from eddyline.application.runtime.options import RunOptions, RunPorts
from eddyline.application.runtime.report import Progress, RunReport
from eddyline.application.topology import Topology, TopologyBuilder, hopping
from eddyline.domain.trading import Trade, TradeStats


@dataclass(frozen=True)
class Result:
    """A result in the form that all programs of the suite write."""

    ticker: str
    min: float
    count: int
    avg: float
    start: int = 0


@dataclass(frozen=True)
class WordCount:
    """The count of a word."""

    ticker: str
    count: int


def topology(workload: str, source: str, sink: str, *, merge: bool) -> Topology:
    """Return the topology of a workload; without `merge` nothing is aggregated in parts."""
    builder = TopologyBuilder()
    if workload == "word-count":
        lines = builder.stream(source, key=str, value=str).flat_map_values(str.split, value=str)
        counts = lines.group_by(lambda _key, word: word, key=str, name="by-word").count(store="counts")
        counts.to_stream().map_values(WordCount, with_key=True, value=WordCount).to(sink)
        return builder.build()
    trades = builder.stream(source, key=str, value=Trade).group_by_key()
    combine = TradeStats.merge if merge else None
    if workload == "latency":
        stats = trades.aggregate(TradeStats, TradeStats.aggregate, merge=combine, with_key=True, store="stats").to_stream()
        stats.map_values(_result, value=Result).to(sink)
    else:
        windows = trades.windowed_by(hopping(5_000, advance=1_000, grace=0))
        windowed = windows.aggregate(TradeStats, TradeStats.aggregate, merge=combine, with_key=True, store="stats").to_stream()
        windowed.map_values(lambda key, found: _result(found, key.window.start), value=Result, with_key=True).to(sink)
    return builder.build()


def _result(stats: TradeStats, start: int = 0) -> Result:
    return Result(stats.ticker or "", stats.min_price, stats.count_trades, stats.average, start)


def main() -> None:
    """Run a workload: to the end of the input, or until it is killed if its latency is measured."""
    workload, environment = sys.argv[1], os.environ
    settings = KafkaSettings({"bootstrap.servers": environment["BOOTSTRAP_SERVERS"]})
    source, records = environment["SOURCE"], int(environment["RECORDS"])
    formats = {"json": JsonCodecs(), "string": PrimitiveCodecs("string")}
    codecs = TopicCodecs(
        formats,
        default_key="json",
        default_value="json",
        state="json",
        values={source: "string"} if workload == "word-count" else {},
    )
    options = RunOptions(
        application_id=environment["NAME"],
        emit="every-update" if environment.get("EMIT") == "every-update" else "latest",
        max_batch_records=int(environment.get("BATCH_RECORDS", "500000")),
        trigger_interval_ms=0,
        new_topic_partitions=4,
        commit_interval_ms=int(environment.get("COMMIT_MS", "100")),
    )
    found = topology(workload, source, environment["SINK"], merge=environment.get("MERGE", "yes") == "yes")
    ports = RunPorts(KafkaEventLog(settings), KafkaEventSink(settings), codecs, MemoryStateStores())
    if environment.get("ENGINE") == "local":
        chosen = Settings(processing_guarantee=environment.get("GUARANTEE", "exactly_once_v2"))
        local = LocalEngine(found, ports, options, kafka_streams(settings, chosen, environment["NAME"]), SystemClock())
        if workload == "latency":
            local.run()
        else:
            local.run_available_now(_Marks(records))
        return
    from eddyline.adapters.spark.engine import SparkEngine  # noqa: PLC0415 - the local engine starts without it

    engine = SparkEngine(
        found,
        ports,
        options,
        checkpoint_dir=Path(environment["FOLDER"]) / "checkpoint",
        spark_config={"spark.master": "local[2]"},
    )
    if workload == "latency":
        engine.run()
    else:
        engine.run_available_now(_Marks(records))
    engine.close()


class _Marks:
    """Prints the marks of a run: `first` at the start of the first batch."""

    def __init__(self, records: int) -> None:
        self._records, self._left = records, ["first", "quarter", "last"]

    def __call__(self, progress: Progress, report: RunReport) -> None:
        """Print the marks that a batch has reached."""
        del report
        reached = {"first": 0, "quarter": self._records // 4, "last": self._records}
        while self._left and progress.done >= reached[self._left[0]]:
            name = self._left.pop(0)
            mark(name, time.time() - progress.seconds if name == "first" else None, done=progress.done)


if __name__ == "__main__":
    main()
