"""Eddyline as a program of the suite: `python -m benchmarks.suite.eddyline_program WORKLOAD`, set by environment variables."""

import os
import sys
import time
from pathlib import Path

from benchmarks.suite.marks import mark, mark_batch
from benchmarks.suite.topologies import topology
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
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.progress.report import Progress, RunReport


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
        max_batch_records=int(environment["BATCH_RECORDS"]) if "BATCH_RECORDS" in environment else None,
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
        only_flows=True,
    )
    if workload == "latency":
        engine.run()
    else:
        engine.run_available_now(_Marks(records))
    engine.close()


class _Marks:
    """Prints the marks of a run: `first` at the start of the first batch.

    If the environment variable `BATCHES` is set, it also prints the records and results that are done after each batch.
    """

    def __init__(self, records: int) -> None:
        self._records, self._left = records, ["first", "quarter", "last"]
        self._batches = "BATCHES" in os.environ

    def __call__(self, progress: Progress, report: RunReport) -> None:
        """Print the marks that a batch has reached."""
        if self._batches:
            mark_batch(report.records, sum(report.written.values()))
        reached = {"first": 0, "quarter": self._records // 4, "last": self._records}
        while self._left and progress.done >= reached[self._left[0]]:
            name = self._left.pop(0)
            mark(name, time.time() - progress.seconds if name == "first" else None, done=progress.done)


if __name__ == "__main__":
    main()
