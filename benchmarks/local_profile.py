"""Measures where the processor time of a record goes in the loop of the local engine, from Kafka to Kafka.

    python -m benchmarks.local_profile [--records N] [--guarantee exactly_once_v2|at_least_once] [--emit latest|every-update]

Stock statistics in windows of 5 s that advance by 1 s. Each step of the loop is called for many records, so that timing the calls
costs next to nothing. The time of a step is that of the thread of the loop, without the steps that it calls; the threads of
librdkafka are what the process has used besides. The longest call shows for how long a step keeps records waiting.
"""

import argparse
import gc
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import wraps
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from benchmarks.kafka_trades import PARTITIONS, broker
from benchmarks.suite import workloads
from benchmarks.suite.report import table
from benchmarks.suite.topologies import topology
from eddyline.adapters.json.codecs import JsonCodecs
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.event_sink import KafkaEventSink
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.streams.commits import KafkaCommits
from eddyline.adapters.kafka.streams.feed import KafkaFeed
from eddyline.adapters.kafka.streams.membership import KafkaMembership
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.local.committing import Committer
from eddyline.adapters.local.engine import LocalEngine
from eddyline.adapters.local.session import Session
from eddyline.adapters.local.tasks import LocalTasks
from eddyline.adapters.memory.state_store import MemoryStateStores
from eddyline.adapters.settings import Settings
from eddyline.adapters.system.clock import SystemClock
from eddyline.adapters.wiring.kafka_streams import kafka_streams
from eddyline.application.runtime.output.record_collector import RecordCollector
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.runtime.task.changelog import TaskChangelog
from eddyline.application.runtime.task.host import TaskHost

_MICROSECONDS: Final = 1_000_000
_COLUMNS: Final = ("step", "CPU us/record", "calls", "longest call, ms")
_STEPS: Final[Mapping[str, tuple[type, str]]] = {
    "receive": (KafkaFeed, "poll"),
    "decode and order": (LocalTasks, "process"),
    "operators and stores": (TaskHost, "_process_chunk"),
    "encode results": (RecordCollector, "collect"),
    "produce results": (KafkaCommits, "send"),
    "encode changes of stores": (TaskChangelog, "changes"),
    "commit, without its transaction": (Committer, "commit"),
    "transaction, or flush": (KafkaCommits, "write"),
    "membership": (KafkaMembership, "held"),
    "checks of log and lag": (Session, "_check"),
    "the loop itself": (Session, "_step"),
}
_OTHERS: Final = "threads of librdkafka"
_COLLECTION: Final = "garbage collection (part of the others)"


class Steps:
    """Times the calls of methods; times are exclusive of other timed methods that they call."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: dict[str, int] = defaultdict(int)
        self.longest: dict[str, float] = defaultdict(float)
        self._inner: list[float] = []

    def timed(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method with its calls timed under a name."""

        @wraps(method)
        def call(*arguments: Any, **options: Any) -> Any:
            self._inner.append(0.0)
            began, began_cpu = time.perf_counter(), time.thread_time()
            try:
                return method(*arguments, **options)
            finally:
                used = time.thread_time() - began_cpu
                self.seconds[name] += used - self._inner.pop()
                self.calls[name] += 1
                self.longest[name] = max(self.longest[name], time.perf_counter() - began)
                if self._inner:
                    self._inner[-1] += used

        return call

    def on_collection(self, phase: str, _info: object) -> None:
        """Time a garbage collection; for `gc.callbacks`."""
        if phase == "start":
            self._collection_began = time.perf_counter()
        else:
            taken = time.perf_counter() - self._collection_began
            self.seconds[_COLLECTION] += taken
            self.calls[_COLLECTION] += 1
            self.longest[_COLLECTION] = max(self.longest[_COLLECTION], taken)

    def rows(self, records: int) -> list[dict[str, Any]]:
        """Return the rows of a table."""
        return [
            {
                "step": name,
                "CPU us/record": self.seconds[name] / records * _MICROSECONDS,
                "calls": self.calls[name],
                "longest call, ms": self.longest[name] * 1_000,
            }
            for name in (*_STEPS, _OTHERS, _COLLECTION)
            if name in self.seconds
        ]


def profile(settings: KafkaSettings, source: str, *, guarantee: str, emit: str) -> tuple[Steps, float]:
    """Run the flow over a topic; return the steps and the time of the run in seconds."""
    name = f"profile-{time.time_ns()}"
    Topics(settings).create(f"{name}-results", PARTITIONS)
    options = RunOptions(
        application_id=name,
        emit="latest" if emit == "latest" else "every-update",
        trigger_interval_ms=1_000,
        new_topic_partitions=PARTITIONS,
        commit_interval_ms=100 if guarantee == "exactly_once_v2" else 1_000,
    )
    found = topology("stock-stats", source, f"{name}-results", merge=True)
    ports = RunPorts(KafkaEventLog(settings), KafkaEventSink(settings), JsonCodecs(), MemoryStateStores())
    streams = kafka_streams(settings, Settings(processing_guarantee=guarantee), name)
    engine, steps = LocalEngine(found, ports, options, streams, SystemClock()), Steps()
    with ExitStack() as stack:
        for step, (owner, method) in _STEPS.items():
            stack.enter_context(patch.object(owner, method, steps.timed(step, getattr(owner, method))))
        gc.callbacks.append(steps.on_collection)
        stack.callback(gc.callbacks.remove, steps.on_collection)
        began, process, thread = time.perf_counter(), time.process_time(), time.thread_time()
        engine.run_available_now()
        steps.seconds[_OTHERS] = (time.process_time() - process) - (time.thread_time() - thread)
    return steps, time.perf_counter() - began


def main() -> None:
    """Print the profile."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=400_000, help="how many trades [default: %(default)s]")
    parser.add_argument("--guarantee", choices=["exactly_once_v2", "at_least_once"], default="exactly_once_v2")
    parser.add_argument("--emit", choices=["latest", "every-update"], default="every-update")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, broker(Path(folder)) as settings:
        workload = workloads.stock_stats(given.records)
        workloads.write(settings, workload)
        steps, seconds = profile(settings, workload.source, guarantee=given.guarantee, emit=given.emit)
    print(f"{given.records:,} records, {given.emit}, {given.guarantee}: {seconds:.1f} s\n")
    print(table(steps.rows(given.records), _COLUMNS))


if __name__ == "__main__":
    main()
