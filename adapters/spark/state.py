"""Keeps a task's entries in Spark's state store, as chunks."""

from typing import Final

from pyspark.sql.streaming import StatefulProcessorHandle
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

_BYTES: Final = StructType([StructField("bytes", BinaryType())])
_NUMBER: Final = StructType([StructField("number", LongType())])


class SparkCells:
    """The header and the chunks of the task whose key Spark has set, in a value state and a map state."""

    def __init__(self, handle: StatefulProcessorHandle) -> None:
        self._header = handle.getValueState("header", _BYTES)
        self._chunks = handle.getMapState("chunks", _NUMBER, _BYTES)

    def header(self) -> bytes | None:
        """The header, None before the first one was set."""
        found = self._header.get()
        return None if found is None else bytes(found[0])

    def set_header(self, data: bytes) -> None:
        """Replaces the header."""
        self._header.update((data,))

    def chunk(self, number: int) -> bytes:
        """The chunk of this number. Raises LookupError when the state has lost it."""
        found = self._chunks.getValue((number,))
        if found is None:
            raise LookupError(f"chunk {number} is missing in the state: the checkpoint is damaged, start from another one")
        return bytes(found[0])

    def put_chunk(self, number: int, data: bytes) -> None:
        """Adds a chunk."""
        self._chunks.updateValue((number,), (data,))

    def remove_chunk(self, number: int) -> None:
        """Removes a chunk."""
        self._chunks.removeKey((number,))
