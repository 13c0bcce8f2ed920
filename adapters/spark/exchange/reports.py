"""The reports of tasks and slots to the driver, as JSON."""

import json
from collections import Counter
from collections.abc import Mapping

from eddyline.application.runtime.task_host import TaskReport


def pack_report(report: TaskReport) -> bytes:
    """Return a task's report as the body of a frame."""
    drops = [[node, reason, number] for (node, reason), number in report.drops.items()]
    return json.dumps({"records": report.records, "dead_letters": report.dead_letters, "drops": drops}).encode()


def unpack_report(body: bytes) -> TaskReport:
    """Return the report in the body of a frame."""
    found = json.loads(body)
    drops = Counter({(node, reason): number for node, reason, number in found["drops"]})
    return TaskReport(found["records"], found["dead_letters"], drops)


def pack_written(written: Mapping[str, int]) -> bytes:
    """Return the numbers of records written, by topic, as the body of a frame."""
    return json.dumps(written).encode()


def unpack_written(body: bytes) -> Mapping[str, int]:
    """Return the numbers of records written, by topic."""
    written: Mapping[str, int] = json.loads(body)
    return written
