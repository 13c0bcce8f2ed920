"""The event log as a data source of Spark.

Spark creates the source in a Python process of its own, and plans in another one how it is read, before the first batch.
The class imports what it needs when its methods are called, so that the first of them starts sooner.
"""

from typing import Final

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, SimpleDataSourceStreamReader
from pyspark.sql.types import StructType

from eddyline.adapters.spark.exchange.rows import ROWS
from eddyline.adapters.spark.failures import reported
from eddyline.adapters.spark.plan import SparkPlan
from eddyline.adapters.spark.worker.broadcast import Broadcast

SOURCE: Final = "eddyline"
"""The name of the source in Spark."""


def event_source(broadcast: Broadcast, plan: SparkPlan) -> type[DataSource]:
    """Return the data source class of one query, to register with Spark."""
    reads_in_workers = bool(plan.in_reader)

    class EventSource(DataSource):
        """Creates the reader of the query."""

        @classmethod
        def name(cls) -> str:
            return SOURCE

        def schema(self) -> StructType:
            return ROWS

        def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's names
            if not reads_in_workers:
                return super().streamReader(schema)  # raises the error after which Spark calls the method below
            from eddyline.adapters.spark.source.datasource import EventReader  # noqa: PLC0415 - see above

            with reported():
                return EventReader(broadcast, broadcast.unpickle())

        def simpleStreamReader(self, schema: StructType) -> SimpleDataSourceStreamReader:  # noqa: N802
            from eddyline.adapters.spark.source.planned_rows import PlannedRows  # noqa: PLC0415 - see above

            del schema
            return PlannedRows(broadcast)

    return EventSource
