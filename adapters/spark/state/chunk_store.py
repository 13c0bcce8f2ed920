"""Stores the chunks of a task's state in Spark's state store."""

from typing import Final

from pyspark.sql.streaming import StatefulProcessorHandle
from pyspark.sql.types import BinaryType, LongType, StructField, StructType

_BYTES: Final = StructType([StructField("bytes", BinaryType())])
_NUMBER: Final = StructType([StructField("number", LongType())])


class SparkChunkStore:
    """The header in a value state and the chunks in a map state, of the task whose key Spark has set."""

    def __init__(self, handle: StatefulProcessorHandle) -> None:
        self._header = handle.getValueState("header", _BYTES)
        self._chunks = handle.getMapState("chunks", _NUMBER, _BYTES)

    def header(self) -> bytes | None:
        """Return the header, None if there is none yet."""
        found = self._header.get()
        return None if found is None else bytes(found[0])

    def set_header(self, data: bytes) -> None:
        """Replace the header."""
        self._header.update((data,))

    def chunk(self, number: int) -> bytes:
        """Return the chunk with this number. Raises LookupError if it is missing."""
        found = self._chunks.getValue((number,))
        if found is None:
            raise LookupError(
                f"chunk {number} of the state is missing, so the checkpoint is damaged; "
                "reset the flow to reprocess its topics from the beginning"
            )
        return bytes(found[0])

    def put_chunk(self, number: int, data: bytes) -> None:
        """Add a chunk."""
        self._chunks.updateValue((number,), (data,))

    def remove_chunk(self, number: int) -> None:
        """Remove a chunk."""
        self._chunks.removeKey((number,))
