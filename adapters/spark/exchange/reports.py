"""The reports of tasks and slots to the driver, as JSON."""

import json
import time
from collections import Counter
from collections.abc import Mapping

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.runtime.progress.report import TaskReport, TaskState
from eddyline.application.topology.metrics import MetricValue


def machine_ms() -> int:
    """Return the time of the clock of this machine in ms since the epoch."""
    return time.time_ns() // 1_000_000


def pack_report(report: TaskReport) -> bytes:
    """Return a task's report as the body of a frame."""
    fields = report._asdict()
    fields["drops"] = [[node, reason, number] for (node, reason), number in report.drops.items()]
    fields["skipped"] = [[*partition, number] for partition, number in report.skipped.items()]
    fields["metrics"] = [[*place, *value] for place, value in report.metrics.items()]
    for name in ("consumed", "undecodable", "processed", "transactions", "late_windows"):
        fields[name] = dict(fields[name])
    return json.dumps(fields).encode()


def unpack_report(body: bytes) -> TaskReport:
    """Return the report in the body of a frame."""
    found = json.loads(body)
    found["drops"] = Counter({(node, reason): number for node, reason, number in found["drops"]})
    found["skipped"] = {TopicPartition(topic, partition): number for topic, partition, number in found["skipped"]}
    found["metrics"] = {(node, name): MetricValue(*value) for node, name, *value in found["metrics"]}
    found["state"] = None if found["state"] is None else TaskState(*found["state"])
    found["trace_contexts"] = tuple(found["trace_contexts"])
    found["times"] = None if found["times"] is None else tuple(found["times"])
    return TaskReport(**found)


def pack_written(written: Mapping[str, int]) -> bytes:
    """Return the numbers of records written, by topic, as the body of a frame."""
    return json.dumps(written).encode()


def unpack_written(body: bytes) -> Mapping[str, int]:
    """Return the numbers of records written, by topic."""
    written: Mapping[str, int] = json.loads(body)
    return written
