"""The rows of Spark that frames travel in."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

import pyarrow as pa
from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

from eddyline.adapters.spark.outbox import Row
from eddyline.adapters.spark.tasks import group_of

ROWS: Final = StructType(
    [StructField("group", IntegerType()), StructField("stage", IntegerType()), StructField("frame", BinaryType())]
)
"""Rows between stages: `group` stands for the task (adapters/spark/tasks.py)."""

_ARROW: Final = pa.schema([("group", pa.int32()), ("stage", pa.int32()), ("frame", pa.binary())])
_AT_ONCE: Final = 16


def in_batches(rows: Iterable[Row], groups: int) -> Iterator[pa.RecordBatch]:
    """Rows as Arrow batches of a few each."""
    for some in grouped(rows, groups):
        columns = [pa.array(column, field.type) for column, field in zip(zip(*some, strict=True), _ARROW, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=_ARROW)


def grouped(rows: Iterable[Row], groups: int) -> Iterator[list[tuple[int, int, bytes]]]:
    """Rows as Spark has them, a few at a time."""
    waiting = ((group_of(task, groups), stage, frame) for task, stage, frame in rows)
    while some := list(islice(waiting, _AT_ONCE)):
        yield some
