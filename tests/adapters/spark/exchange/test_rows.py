"""Rows become Arrow batches of a few rows each, with the integer that stands for their task."""

from eddyline.adapters.spark.exchange.rows import END, Row, arrow_batches, row_groups
from eddyline.adapters.spark.exchange.task_ids import TaskIds


def test_rows_are_divided_into_small_batches() -> None:
    ids = TaskIds(2)
    rows = [Row(number, END, b"%d" % number) for number in range(35)]
    batches = list(arrow_batches(rows, TaskIds(2)))
    assert [batch.num_rows for batch in batches] == [16, 16, 3]
    found = [row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True)]
    assert found == [(ids.group(number), END, b"%d" % number) for number in range(35)]
    assert [row for group in row_groups(rows, TaskIds(2)) for row in group] == found


def test_without_rows_there_is_no_batch() -> None:
    assert list(arrow_batches([], TaskIds(2))) == []


def test_the_columns_have_the_types_that_spark_expects() -> None:
    (batch,) = arrow_batches([Row(1, END, b"frame")], TaskIds(2))
    assert [(field.name, str(field.type)) for field in batch.schema] == [
        ("group", "int32"),
        ("stage", "int32"),
        ("frame", "binary"),
    ]
    assert [str(column.type) for column in batch.columns] == ["int32", "int32", "binary"]
