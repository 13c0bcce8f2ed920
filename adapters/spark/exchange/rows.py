"""The rows in which Spark carries frames."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

import pyarrow as pa
from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

from eddyline.adapters.spark.exchange.task_ids import TaskIds

END: Final = -1
"""The stage number of rows that pass all stages, to the sink."""

ROWS: Final = StructType(
    [StructField("group", IntegerType()), StructField("stage", IntegerType()), StructField("frame", BinaryType())]
)
"""Rows between stages; `group` is the integer that stands for the task in `TaskIds`."""

_ARROW: Final = pa.schema([("group", pa.int32()), ("stage", pa.int32()), ("frame", pa.binary())])
_ROWS_PER_BATCH: Final = 16


class Row(NamedTuple):
    """A row between stages: a frame and the stage and task that receive it; with stage `END`, the task that sent it."""

    task: int
    stage: int
    frame: bytes


def arrow_batches(rows: Iterable[Row], ids: TaskIds) -> Iterator[pa.RecordBatch]:
    """Yield the rows as Arrow batches of a few rows each."""
    for some in row_groups(rows, ids):
        columns = [pa.array(column, field.type) for column, field in zip(zip(*some, strict=True), _ARROW, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=_ARROW)


def row_groups(rows: Iterable[Row], ids: TaskIds) -> Iterator[list[tuple[int, int, bytes]]]:
    """Yield the rows as tuples for Spark, a few at a time."""
    remaining = ((ids.group(task), stage, frame) for task, stage, frame in rows)
    while some := list(islice(remaining, _ROWS_PER_BATCH)):
        yield some
