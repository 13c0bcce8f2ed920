"""The changelog records in the frames of tasks."""

import json
from collections.abc import Iterator, Sequence

from eddyline.adapters.spark.exchange.columns import unpack_records
from eddyline.adapters.spark.exchange.frames import Frame, Kind
from eddyline.adapters.spark.plan import SparkPlan
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.changelogs import BatchProgress, progress_records


def changelog_records(plan: SparkPlan, frames: Sequence[Frame], batch: BatchProgress) -> Iterator[SinkRecord]:
    """Yield the changes of tasks, in the order of sending, then their progress records."""
    for frame in frames:
        if frame.kind is Kind.CHANGELOG:
            yield from (SinkRecord(*record[:6]) for record in unpack_records(frame.body))
    for frame in frames:
        if frame.kind is Kind.STREAM_TIME:
            topics = plan.run.changelogs[plan.line[frame.sender.stage]].values()
            yield from progress_records(topics, frame.sender.task, json.loads(frame.body), batch)
