"""Flink SQL as a peer: the rates of a query."""

import json
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Final

from benchmarks.nexmark_events import PARTITIONS, Topics
from benchmarks.peers import environments
from benchmarks.suite import measuring
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics as KafkaTopics

_PROGRAM: Final = Path(__file__).parent / "peers" / "flink_nexmark.py"
_LIMIT_S: Final = 1_800.0
_MARKS: Final = {"first", "quarter", "changed", "last"}
_WAITS_S: Final = 1.0
"""A job that changes nothing for so long waits for a checkpoint."""


class FlinkSql:
    """Flink with its connector for Kafka, installed in build/peers if necessary."""

    def __init__(self) -> None:
        self._python, self._jars = environments.python("flink"), environments.connectors("flink")

    def rates(self, settings: KafkaSettings, query: str, read: Collection[str], topics: Topics) -> tuple[float, float, float]:
        """Return records per second, whole and warm, and the processor time per record in microseconds, warm.

        The end is that of the last change, if the job then only waits for the checkpoint that commits it.

        Args:
            settings: The brokers.
            query: The query.
            read: The kinds of events that it reads.
            topics: The topics with the events.

        Raises:
            SystemExit: The job has failed, or its end came before a mark.
        """
        out = f"flink-{query}-{topics.names['bid']}"
        KafkaTopics(settings).create(out, PARTITIONS)
        records = sum(topics.records[topic] for topic in read)
        given = {
            "query": query,
            "bootstrap.servers": settings.producer()["bootstrap.servers"],
            "topics": topics.names,
            "records": records,
            "out": out,
            "jars": [f"file://{jar}" for jar in self._jars],
        }
        with tempfile.TemporaryDirectory() as folder:
            argument, log = json.dumps({**given, "checkpoints": f"file://{folder}"}), Path(folder) / "log"
            run = measuring.run([self._python, _PROGRAM, argument], {"PYTHONPATH": ""}, log, _LIMIT_S)
            if run.exit_code != 0 or not run.marks.keys() >= _MARKS:
                raise SystemExit(f"  Flink SQL failed (exit code {run.exit_code}):\n{log.read_text()[-6_000:]}")
        begin, quarter, changed, end = (run.marks[name] for name in ("first", "quarter", "changed", "last"))
        if end - changed > _WAITS_S:
            end = changed
        rest = records - run.done["quarter"]
        print(f"  Flink SQL: {records:,} records in {end - begin:.2f} s, the last {rest:,} in {end - quarter:.2f} s", flush=True)
        cpu = run.processor_seconds(quarter, end) / rest
        return records / (end - begin), rest / (end - quarter), cpu * 1e6
