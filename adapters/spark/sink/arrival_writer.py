"""Writes all results of a batch in the order of arrival, in one Spark task, and returns the reports to the driver."""

from collections.abc import Callable, Iterator
from typing import Final

import pyarrow as pa
from pyspark.sql.types import BinaryType, StructField, StructType

from eddyline.adapters.spark.exchange.frames import Frame, unpack_frame
from eddyline.adapters.spark.failures import reported
from eddyline.adapters.spark.sink.arrival_server import written
from eddyline.adapters.spark.worker.broadcast import Broadcast
from eddyline.application.runtime.plan.changelogs import BatchProgress

REPORTS: Final = StructType([StructField("frame", BinaryType())])
"""The schema of the rows that return to the driver."""

_ARROW: Final = pa.schema([("frame", pa.binary())])


def arrival_writer(broadcast: Broadcast, batch: BatchProgress) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Return a function that writes the results in its rows, which must be all of the batch.

    A repeated batch has the same records in the same order, so the event sink can skip a batch that it has written.
    """

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with reported():
            frames: list[Frame] = []
            for rows in batches:
                frames += map(unpack_frame, rows.column("frame").to_pylist())
            yield pa.RecordBatch.from_arrays([pa.array(written(broadcast, batch, frames), pa.binary())], schema=_ARROW)

    return write
