"""The changelog records in the frames of a slot."""

import json
from collections.abc import Iterator, Sequence

from eddyline.adapters.spark.exchange.columns import Packed, pack_records
from eddyline.adapters.spark.exchange.frames import Frame, Kind
from eddyline.adapters.spark.plan import SparkPlan
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.changelog import BatchProgress, progress_records


def changelog_bodies(plan: SparkPlan, frames: Sequence[Frame], batch: BatchProgress) -> list[bytes]:
    """Return the changes of a slot's tasks, in the order of sending, then their progress records, as bodies of frames."""
    changes = [frame.body for frame in frames if frame.kind is Kind.CHANGELOG]
    progress = (record for frame in frames if frame.kind is Kind.STREAM_TIME for record in _progress(plan, frame, batch))
    return [*changes, *pack_records(Packed(*record) for record in progress)]


def _progress(plan: SparkPlan, frame: Frame, batch: BatchProgress) -> Iterator[SinkRecord]:
    topics = plan.run.changelogs[plan.line[frame.sender.stage]].values()
    yield from progress_records(topics, frame.sender.task, json.loads(frame.body), batch)
