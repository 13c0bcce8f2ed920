"""Sends one value to all workers: pickled once on the driver, unpickled once in each worker."""

import copyreg
import dataclasses
import uuid
from typing import Any

from pyspark import cloudpickle


class Broadcast:
    """A pickled value for the workers.

    `run` identifies the run that it was made for; `owner` names the checkpoint, so that a worker can drop what it has cached
    for an earlier run of the same checkpoint.
    """

    def __init__(self, value: Any, owner: str) -> None:
        self.run, self.owner = uuid.uuid4().hex, owner
        self._data: bytes = cloudpickle.dumps(value)  # type: ignore[no-untyped-call]

    def unpickle(self) -> Any:
        """Return a new copy of the value."""
        return cloudpickle.loads(self._data)


def _missing(_value: object) -> str:
    """Return the name under which `dataclasses.MISSING` is pickled.

    A dataclass of `__main__` is pickled with its fields. Those without a default have this object, and nothing equal to it.
    """
    return "MISSING"


copyreg.pickle(type(dataclasses.MISSING), _missing)
