"""What the checkpoint says about a batch that is about to run."""

import json

from eddyline.adapters.spark.driver.hadoop_path import Location
from eddyline.adapters.spark.source.datasource import complete_offsets
from eddyline.application.runtime.plan.changelogs import BatchProgress


def batch_progress(query_folder: Location, batch: int, *, machine_clock: bool) -> BatchProgress:
    """Return number, wall-clock time and source offsets of a batch.

    Spark stores them before it runs the batch, so that a repeated batch has the same.

    Args:
        query_folder: Spark's own folder in the checkpoint.
        batch: The number of the batch.
        machine_clock: Whether tasks run at the time that Spark gives to the batch, not at that of the source.
    """
    _, metadata, source = (query_folder / "offsets" / str(batch)).read_text().splitlines()
    offset = json.loads(source)
    time_ms = json.loads(metadata)["batchTimestampMs"] if machine_clock else offset["at"]
    return BatchProgress(batch, time_ms, complete_offsets(offset))
