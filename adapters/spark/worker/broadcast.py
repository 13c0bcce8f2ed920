"""Sends one value to all workers: pickled once on the driver, unpickled once in each worker."""

import uuid
from typing import Any

from pyspark import cloudpickle

from eddyline.adapters.spark.worker.pickling import pickled


class Broadcast:
    """A pickled value for the workers.

    `run` identifies the run that it was made for; `owner` names the checkpoint, so that a worker can drop what it has cached
    for an earlier run of the same checkpoint.
    """

    def __init__(self, value: Any, owner: str) -> None:
        self.run, self.owner = uuid.uuid4().hex, owner
        self._data: bytes = pickled(value)

    def unpickle(self) -> Any:
        """Return a new copy of the value."""
        return cloudpickle.loads(self._data)
