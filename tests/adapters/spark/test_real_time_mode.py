"""Spark's real-time mode cannot run flows; a version of Spark that can is noticed (decision 0006)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

pytestmark = pytest.mark.spark


def numbers() -> type[DataSource]:
    """Return a source in Python; the process that plans it gets it by value."""

    class Reader(DataSourceStreamReader):
        def initialOffset(self) -> dict[str, int]:  # noqa: N802 - Spark's name
            return {"end": 0}

        def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:  # noqa: N802, ARG002 - Spark's names
            return {"end": 1}

        def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
            return [InputPartition((start, end))]

        def read(self, _partition: InputPartition) -> Iterator[tuple[int]]:
            yield (1,)

    class Numbers(DataSource):
        @classmethod
        def name(cls) -> str:
            return "numbers-in-real-time"

        def schema(self) -> str:
            return "number int"

        def streamReader(self, schema: object) -> DataSourceStreamReader:  # noqa: N802, ARG002 - Spark's names
            return Reader()

    return Numbers


def discard(_frame: DataFrame, _batch: int) -> None:
    """Do nothing with a batch."""


@pytest.mark.parametrize(
    ("into", "answer"),
    [
        ("console", "INPUT_STREAM_NOT_SUPPORTED"),
        ("foreachBatch", "OPERATOR_OR_SINK_NOT_IN_ALLOWLIST"),
    ],
)
def test_neither_sources_in_python_nor_sinks_of_batches_run_in_real_time_mode(
    spark: SparkSession, tmp_path: Path, into: str, answer: str
) -> None:
    source = numbers()
    spark.dataSource.register(source)
    frame = spark.readStream.format(source.name()).load()
    stream = frame.writeStream.outputMode("update").trigger(realTime="5 seconds")  # type: ignore[call-overload] # not in the stub
    writer = stream.foreachBatch(discard) if into == "foreachBatch" else stream.format(into)
    with pytest.raises(PySparkException, match=f"STREAMING_REAL_TIME_MODE.{answer}"):
        writer.option("checkpointLocation", str(tmp_path)).start().awaitTermination(60)
