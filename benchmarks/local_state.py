"""Measures what state costs on the local engine by its size: `python -m benchmarks.local_state [--keys N] [--store STORE…]`.

A flow from Kafka keeps a total for each account, exactly once. A process fills it with one payment for each key. Then processes
continue with payments for random accounts: one after a clean end, and one that has lost its disk, so that it restores the stores
from the changelog. Memory is the most that a process has had, without the broker.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from benchmarks.kafka_trades import PARTITIONS, broker
from benchmarks.producing import Produced, produce
from benchmarks.suite.report import table
from benchmarks.totals import topology
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.local.engine import LocalEngine
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.rocksdb.state_store import DEFAULT_CACHE_BYTES, RocksDBStateStores
from eddyline.adapters.settings import Settings
from eddyline.adapters.system.clock import SystemClock
from eddyline.adapters.wiring.kafka_streams import kafka_streams
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.progress.report import Progress, RunReport

_COLUMNS: Final = ("store", "keys", "phase", "records", "first commit s", "whole s", "records/s", "most MB")


def run(servers: str, name: str, store: str, cache_bytes: int, folder: Path) -> dict[str, Any]:
    """Process what the topic `name` holds, in this process."""
    settings, codecs = KafkaSettings({"bootstrap.servers": servers}), JsonCodecs()
    stores: StateStores = RocksDBStateStores(codecs, folder, cache_bytes) if store == "rocksdb" else MemoryStateStores()
    options = RunOptions(
        application_id=name, emit="latest", trigger_interval_ms=0, commit_interval_ms=100, new_topic_partitions=PARTITIONS
    )
    ports = RunPorts(KafkaEventLog(settings), KafkaEventSink(settings), codecs, stores)
    engine = LocalEngine(topology(name), ports, options, kafka_streams(settings, Settings(), name), SystemClock())
    first: list[float] = []

    def note(_progress: Progress, _report: RunReport) -> None:
        first.append(time.monotonic())

    began = time.monotonic()
    report = engine.run_available_now(note)
    ended = time.monotonic()
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return {
        "records": report.records,
        "first commit s": first[0] - began,
        "whole s": ended - began,
        "records/s": round(report.records / (ended - first[0])) if ended > first[0] else None,
        "most MB": int(status["VmHWM"].split()[0]) >> 10,
    }


def measure(settings: KafkaSettings, store: str, keys: int, touched: int, cache_bytes: int) -> list[dict[str, Any]]:
    """Return the rows of a store with this many keys."""
    name = f"payments-{store}-{keys}-{time.time_ns()}"
    Topics(settings).create(name, PARTITIONS)
    chance, rows = random.Random(1), []
    with tempfile.TemporaryDirectory(prefix="local-state-") as folder:
        for phase in ("fill", "clean restart", "restart without the disk"):
            if phase == "fill":
                _write(settings, name, list(range(keys)))
            else:
                _write(settings, name, chance.choices(range(keys), k=touched))
            if phase == "restart without the disk":
                shutil.rmtree(folder, ignore_errors=True)
            words = (settings.bootstrap_servers, name, store, str(cache_bytes), folder)
            done = subprocess.run(  # noqa: S603 - arguments of this module
                [sys.executable, "-m", "benchmarks.local_state", "--run", *words], stdout=subprocess.PIPE, check=True
            )
            rows.append({"store": store, "keys": keys, "phase": phase, **json.loads(done.stdout.splitlines()[-1])})
            Path(folder).mkdir(exist_ok=True)
    return rows


def _write(settings: KafkaSettings, topic: str, accounts: list[int]) -> None:
    start_ms = 1_700_000_000_000
    produce(settings, (Produced(topic, f"account-{account}", b"1.5", start_ms + at) for at, account in enumerate(accounts)))


def main() -> None:
    """Measure what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--store", nargs="+", choices=("memory", "rocksdb"), default=["memory", "rocksdb"])
    parser.add_argument("--touched", type=int, default=100_000, help="payments after a restart [default: %(default)s]")
    parser.add_argument("--cache-bytes", type=int, default=DEFAULT_CACHE_BYTES, help="statestore.cache.max.bytes")
    parser.add_argument("--run", nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        servers, name, store, cache_bytes, folder = given.run
        print(json.dumps(run(servers, name, store, int(cache_bytes), Path(folder))))
        return
    with tempfile.TemporaryDirectory() as broker_folder, broker(Path(broker_folder)) as settings:
        rows = [
            row
            for keys in given.keys
            for store in given.store
            for row in measure(settings, store, keys, given.touched, given.cache_bytes)
        ]
    print(table(rows, _COLUMNS))


if __name__ == "__main__":
    main()
