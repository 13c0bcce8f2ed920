"""Writes the results of a batch to the event sink, a slot for each Spark partition, and returns reports to the driver.

A repeated batch has the same records in the same order in every slot, so the event sink can skip a batch that it has written.
"""

from collections.abc import Callable, Iterator
from typing import Final

import pyarrow as pa
from pyspark.sql.types import BinaryType, StructField, StructType

from eddyline.adapters.spark.exchange.frames import Frame, unpack_frame
from eddyline.adapters.spark.failures import reported
from eddyline.adapters.spark.sink.slot_server import written
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.application.runtime.changelog import BatchProgress

REPORTS: Final = StructType([StructField("frame", BinaryType())])
"""The schema of the rows that return to the driver."""

_ARROW: Final = pa.schema([("frame", pa.binary())])


def slot_writer(
    broadcast: Broadcast, batch: BatchProgress, slots: int
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function that writes the slots of its rows; all rows of a slot must be in the same call.

    The time and the offsets of the batch are for changelogs; they are not needed without.
    """

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with reported():
            by_slot: dict[int, list[Frame]] = {}
            for rows in batches:
                for frame in map(unpack_frame, rows.column("frame").to_pylist()):
                    by_slot.setdefault(frame.sender.task % slots, []).append(frame)
            for slot, frames in sorted(by_slot.items()):
                reports = written(broadcast, slot, batch, frames)
                yield pa.RecordBatch.from_arrays([pa.array(reports, pa.binary())], schema=_ARROW)

    return write
