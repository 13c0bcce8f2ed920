"""Runs of the local engine over a memory log."""

from pathlib import Path
from typing import Any

from eddyline.adapters.local.alone import streams_of_log
from eddyline.adapters.local.engine import LocalEngine
from eddyline.adapters.local.log_feed import LogFeed
from eddyline.adapters.local.streams import Streams
from eddyline.adapters.memory.clock import MemoryClock
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.ports.clock import Clock
from eddyline.application.runtime.plan.options import RunOptions, RunPorts
from eddyline.application.topology import Topology
from tests.runtime.plans import memory_ports


def engine_of(
    topology: Topology,
    log: MemoryEventLog,
    *,
    ports: RunPorts | None = None,
    folder: Path | None = None,
    clock: Clock | None = None,
    step_s: float = 1.0,
    streams: Streams | None = None,
    **options: Any,
) -> LocalEngine:
    """Return an engine of the application `app`, with these fields of RunOptions; results are written to the log itself."""
    defaults = {
        "application_id": "app",
        "emit": "every-update",
        "trigger_interval_ms": 0,
        "commit_interval_ms": 0,
        "new_topic_partitions": 1,
    }
    ports, chosen = ports or memory_ports(log), RunOptions(**{**defaults, **options})
    if streams is None:
        streams = streams_of_log(ports.sink, chosen.application_id, LogFeed, folder)._replace(step_s=step_s)
    return LocalEngine(topology, ports, chosen, streams, clock or MemoryClock())
