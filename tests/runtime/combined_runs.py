"""Runs of flows over integers, with and without combining before their records are repartitioned."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from eddyline import TopologyBuilder
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.application.runtime.plan import run_plan as run_plan_module
from tests.adapters.memory.running import built, run_of
from tests.runtime.plans import all_records

Record: TypeAlias = tuple[int, int, int]
"""The partition, the value and the timestamp."""


def run_combined(
    define: Callable[[TopologyBuilder], None], records: Sequence[Record], batch: int
) -> tuple[dict[bytes | None, list[tuple[bytes | None, int]]], dict[tuple[str, str], int]]:
    """Return the updates of each key and window or session in their order, and the number of records that were dropped."""
    log = MemoryEventLog()
    log.create_topic("in", 2)
    for partition, value, timestamp in records:
        log.append("in", b"k", b"%d" % value, timestamp, partition=partition)
    report = run_of(built(define), log, emit="latest", max_batch_records=batch).run_available_now()
    found: dict[bytes | None, list[tuple[bytes | None, int]]] = defaultdict(list)
    for record in all_records(log, "out"):
        found[record.key].append((record.value, record.timestamp))
    return dict(found), dict(report.drops)


def run_without_combining(
    define: Callable[[TopologyBuilder], None], records: Sequence[Record], batch: int
) -> tuple[dict[bytes | None, list[tuple[bytes | None, int]]], dict[tuple[str, str], int]]:
    """Return the same as `run_combined` of a run whose records are repartitioned one by one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_plan_module, "combined", lambda topology, _options: topology)
        return run_combined(define, records, batch)
