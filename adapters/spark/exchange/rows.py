"""The rows of Spark that carry frames."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

import pyarrow as pa
from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

from eddyline.adapters.spark.exchange.task_ids import TaskIds

END: Final = -1
"""The stage of rows that no stage processes: they go to the sink."""

ROWS: Final = StructType(
    [StructField("group", IntegerType()), StructField("stage", IntegerType()), StructField("frame", BinaryType())]
)
"""Rows between stages; `group` is the integer that stands for the task in `TaskIds`."""

_ARROW: Final = pa.schema([("group", pa.int32()), ("stage", pa.int32()), ("frame", pa.binary())])
_ROWS_PER_BATCH: Final = 16


class Row(NamedTuple):
    """A row between stages: the task that it is for (at the end: the task that sent it), the stage and the frame."""

    task: int
    stage: int
    frame: bytes


def arrow_batches(rows: Iterable[Row], ids: TaskIds) -> Iterator[pa.RecordBatch]:
    """Yield the rows as Arrow batches of a few rows each."""
    for some in row_groups(rows, ids):
        columns = [pa.array(column, field.type) for column, field in zip(zip(*some, strict=True), _ARROW, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=_ARROW)


def row_groups(rows: Iterable[Row], ids: TaskIds) -> Iterator[list[tuple[int, int, bytes]]]:
    """Yield the rows as Spark has them, a few at a time."""
    remaining = ((ids.group(task), stage, frame) for task, stage, frame in rows)
    while some := list(islice(remaining, _ROWS_PER_BATCH)):
        yield some
