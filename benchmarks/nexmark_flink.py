"""Flink SQL as a peer: the rates of a query."""

import json
import os
import subprocess
import tempfile
from collections.abc import Collection
from math import nan
from pathlib import Path
from typing import Final

from benchmarks.nexmark_events import PARTITIONS, Topics
from benchmarks.peers import environments
from benchmarks.process_usage import ProcessUsage
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics as KafkaTopics

_PROGRAM: Final = Path(__file__).parent / "peers" / "flink_nexmark.py"
_TIMEOUT_S: Final = 1_800.0


class FlinkSql:
    """Flink with its connector for Kafka, installed in build/peers if necessary."""

    def __init__(self) -> None:
        self._python, self._jars = environments.python("flink"), environments.connectors("flink")

    def rates(
        self, settings: KafkaSettings, query: str, read: Collection[str], topics: Topics, quarter: Topics
    ) -> tuple[float, float, float]:
        """Return records per second, whole and warm, and the processor time per record in microseconds.

        Args:
            settings: The brokers.
            query: The query.
            read: The kinds of events that it reads.
            topics: The topics with all events.
            quarter: The topics with the first quarter of them, for a run that warms up.
        """
        short, short_s, short_cpu = self._run(settings, query, read, quarter)
        records, seconds, cpu = self._run(settings, query, read, topics)
        print(f"  Flink SQL: {records:,} records in {seconds:.2f} s, {short:,} in {short_s:.2f} s", flush=True)
        more, longer_s = records - short, seconds - short_s
        warm = more / longer_s if longer_s > 0 else nan  # so few events that the start takes most of the time
        return records / seconds, warm, (cpu - short_cpu) / more * 1e6

    def _run(self, settings: KafkaSettings, query: str, read: Collection[str], topics: Topics) -> tuple[int, float, float]:
        """Return the number of records that the query reads, and the seconds and the processor time of its job."""
        out = f"flink-{query}-{topics.names['bid']}"
        KafkaTopics(settings).create(out, PARTITIONS)
        given = {
            "query": query,
            "bootstrap.servers": settings.producer()["bootstrap.servers"],
            "topics": topics.names,
            "out": out,
            "jars": [f"file://{jar}" for jar in self._jars],
        }
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PY")}
        with tempfile.TemporaryDirectory() as checkpoints, ProcessUsage() as usage:
            command: list[str | Path] = [self._python, _PROGRAM, json.dumps({**given, "checkpoints": f"file://{checkpoints}"})]
            done = subprocess.run(  # noqa: S603 - no part is user input
                command, capture_output=True, text=True, check=False, env=environment, timeout=_TIMEOUT_S
            )
        if done.returncode != 0:
            raise SystemExit(f"  Flink SQL failed:\n{done.stdout[-2_000:]}{done.stderr[-4_000:]}")
        seconds = float(done.stdout.rpartition("seconds ")[2].split()[0])
        return sum(topics.records[topic] for topic in read), seconds, usage.seconds["java"] + usage.seconds["python"]
