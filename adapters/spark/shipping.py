"""Sends one value to many workers: pickled once on the driver, unpickled once in each worker."""

import uuid
from typing import Any

from pyspark import cloudpickle

_ARRIVED: dict[str, Any] = {}


class Shipped:
    """A value on its way to workers; `value` there is one object however often it arrives."""

    def __init__(self, value: Any) -> None:
        self.name = uuid.uuid4().hex
        self._data: bytes = cloudpickle.dumps(value)  # type: ignore[no-untyped-call]

    @property
    def value(self) -> Any:
        """The value, as this process keeps it."""
        found = _ARRIVED.get(self.name)
        if found is None:
            found = _ARRIVED[self.name] = cloudpickle.loads(self._data)
        return found
