"""The batch that a worker works on: the driver sets it as a local property, which Spark passes on to every task."""

import json
from typing import Final

from pyspark import SparkContext, TaskContext

from eddyline.application.runtime.plan.changelogs import BatchProgress

_PROPERTY: Final = "eddyline.batch"


def set_batch(context: SparkContext, batch: BatchProgress) -> None:
    """Let the tasks of jobs that this thread starts from now on belong to a batch."""
    context.setLocalProperty(_PROPERTY, json.dumps(batch))


def worker_batch() -> BatchProgress:
    """Return the batch that the Spark task in this process belongs to.

    Raises:
        RuntimeError: there is no such task, or the driver has not set the batch.
    """
    context = TaskContext.get()
    found = None if context is None else context.getLocalProperty(_PROPERTY)
    if found is None:
        raise RuntimeError("the local property of the batch is not set; rows can only be read by the query of a flow")
    return BatchProgress(*json.loads(found))
