"""Measures what state costs on Spark by its size: batches, restarts, and the memory of the workers.

    python -m benchmarks.state_size [--keys N ...] [--store memory rocksdb] [--touched N] [--cache-bytes N]

A flow keeps a total for each account. It is filled with one payment for each key, in 4 tasks. Then new processes continue from
the checkpoint with batches of payments for random accounts: the first one shows the restart, the others what a batch costs.
A third start has lost the local disk, so that stores in RocksDB are rebuilt from the checkpoint.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.generated_log import PARTITIONS, TOPIC, GeneratedLog
from benchmarks.goals import print_goal
from benchmarks.process_usage import ProcessUsage
from benchmarks.totals import topology
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.rocksdb.state_store import DEFAULT_CACHE_BYTES, RocksDBStateStores
from eddyline.adapters.spark.engine import SparkEngine
from eddyline.application.ports.state_stores import StateStores
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.progress.report import Progress, RunReport

_LOAD_RECORDS: Final = 500_000
_BATCHES: Final = 8
_BATCH_GOAL_S: Final = 1.5
_RESTART_GOAL_S: Final = 30.0
_GROWTH_GOAL: Final = 1.5


class Cost(NamedTuple):
    """The seconds of a warm batch, and of the first one after a restart."""

    batch: float
    restart: float


def run(folder: Path, store: str, cache_bytes: int, keys: int, batches: int, batch_records: int) -> dict[str, Any]:
    """Process what the log holds, in this process; return the seconds of each batch, and the memory."""
    codecs = JsonCodecs()
    stores: StateStores = (
        RocksDBStateStores(codecs, folder / "stores", cache_bytes) if store == "rocksdb" else MemoryStateStores()
    )
    ports = RunPorts(GeneratedLog(keys, batches * batch_records), FileEventSink(folder / "out"), codecs, stores)
    options = RunOptions(
        application_id="state-size", emit="latest", max_batch_records=batch_records if batches else _LOAD_RECORDS
    )
    seconds: list[float] = []

    def note(progress: Progress, _report: RunReport) -> None:
        seconds.append(progress.seconds)

    began = time.monotonic()
    with ProcessUsage() as usage:
        SparkEngine(topology(TOPIC), ports, options, checkpoint_dir=folder / "checkpoint").run_available_now(note)
    return {"seconds": seconds, "total": time.monotonic() - began, "worker": usage.largest_worker, "java": usage.peak.java}


def measure(store: str, keys: int, touched: int, cache_bytes: int) -> Cost:
    """Print and return what a state of this many keys costs."""
    with tempfile.TemporaryDirectory(prefix="state-size-") as name:
        folder = Path(name)
        rest = [str(folder), store, str(cache_bytes), str(keys)]
        load = _in_process(*rest, "0", str(touched))
        disk = {part: sum(path.stat().st_size for path in (folder / part).rglob("*")) >> 20 for part in ("checkpoint", "stores")}
        steady = _in_process(*rest, str(_BATCHES), str(touched))
        shutil.rmtree(folder / "stores", ignore_errors=True)
        rebuilt = _in_process(*rest, str(2 * _BATCHES), str(touched))
    warm = steady["seconds"][2:]
    print(
        f"{store:>8} {keys:>11,} keys: filled in {load['total']:6.0f} s; a batch of {touched:,} "
        f"{statistics.median(warm):5.2f} s (most {max(warm):5.2f} s); first batch after a restart {steady['seconds'][0]:5.1f} s, "
        f"without the local disk {rebuilt['seconds'][0]:5.1f} s; largest worker {load['worker']:,} MB filling, "
        f"{steady['worker']:,} MB then, {rebuilt['worker']:,} MB rebuilding; checkpoint {disk['checkpoint']:,} MB, "
        f"stores {disk['stores']:,} MB",
        flush=True,
    )
    return Cost(statistics.median(warm), steady["seconds"][0])


def _print_goals(store: str, costs: dict[int, Cost], touched: int) -> None:
    """Print the goals of a store, given its costs by the number of keys."""
    fewest, most = min(costs), max(costs)
    what = f"{store}, {most:,} keys: seconds of"
    print_goal(f"{what} a batch of {touched:,}", costs[most].batch, _BATCH_GOAL_S, at_most=True)
    print_goal(f"{what} the first batch after a restart", costs[most].restart, _RESTART_GOAL_S, at_most=True)
    if fewest < most:
        ratio = costs[most].batch / costs[fewest].batch
        print_goal(f"{what} a batch of {touched:,} beside {fewest:,} keys", ratio, _GROWTH_GOAL, at_most=True)


def _in_process(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.state_size", "--run", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)  # noqa: S603 - arguments of this module
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Measure what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keys", type=int, nargs="+", default=[100_000, 1_000_000], help=f"multiples of {PARTITIONS}")
    parser.add_argument("--store", nargs="+", choices=("memory", "rocksdb"), default=["memory", "rocksdb"])
    parser.add_argument("--touched", type=int, default=10_000, help="the records of a batch (default: 10000)")
    parser.add_argument("--cache-bytes", type=int, default=DEFAULT_CACHE_BYTES, help="statestore.cache.max.bytes")
    parser.add_argument("--run", nargs=6, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        folder, store, *numbers = given.run
        print(json.dumps(run(Path(folder), store, *map(int, numbers))))
        return
    costs: dict[str, dict[int, Cost]] = {store: {} for store in given.store}
    for keys in given.keys:
        for store, found in costs.items():
            found[keys] = measure(store, keys, given.touched, given.cache_bytes)
    for store, found in costs.items():
        _print_goals(store, found, given.touched)


if __name__ == "__main__":
    main()
