"""What the query of a flow needs from Spark depends on its topology and options."""

from typing import Any

import pytest

from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.spark.driver.query import follows_machine_clock, stored_entries
from eddyline.adapters.spark.exchange.columns import Packed, pack_records
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender
from eddyline.adapters.spark.plan import SparkPlan, stage_line
from eddyline.application.runtime.plan.options import LogClock
from eddyline.application.runtime.progress.store_changes import ChangedEntry
from eddyline.application.samples.catalogue import find_flow
from tests.runtime.plans import run_plan


@pytest.mark.parametrize(
    ("flow", "options", "expected"),
    [
        ("product-counter", {}, True),
        ("product-counter", {"clock": LogClock("ticks"), "order": "arrival"}, False),
        ("word-count", {}, False),
    ],
)
def test_spark_must_run_batches_without_data_only_for_processors_that_use_the_machines_clock(
    flow: str, options: dict[str, Any], expected: bool
) -> None:
    topology, log = find_flow(flow).topology(), MemoryEventLog()
    for spec in topology.source_topics:
        log.create_topic(spec.name, 1)
    plan = SparkPlan(run_plan(topology, log, **options), stage_line(topology), "app-1", groups=1)
    assert follows_machine_clock(plan) is expected


def test_the_changes_in_a_frame_are_entries_of_a_store() -> None:
    changes = [Packed("counts", b"k", b"1", 0, (), 3), Packed("counts", b"l", None, 0, (), 3), Packed("sums", None, b"2", 0)]
    (body,) = pack_records(changes)
    frame = Frame(Sender(0, 3, 1), Kind.CHANGES, 0, body)
    assert stored_entries(frame) == [
        ChangedEntry("counts", 3, b"k", b"1"),
        ChangedEntry("counts", 3, b"l", None),
        ChangedEntry("sums", 0, b"", b"2"),
    ]
