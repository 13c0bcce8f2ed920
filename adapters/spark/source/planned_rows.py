"""The rows of a batch as the driver plans them, for queries whose tasks are all in stages: no worker has to read anything."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import SimpleDataSourceStreamReader
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

from eddyline.adapters.spark.failures import reported
from eddyline.adapters.spark.source.datasource import EventReader, Offset, Rows
from eddyline.adapters.spark.worker.broadcast import Broadcast


class PlannedRows(SimpleDataSourceStreamReader, SupportsTriggerAvailableNow):
    """Passes the rows that an `EventReader` plans to Spark at once, which spares a Python worker in every batch.

    Only if a batch is repeated after a restart does a worker ask for its rows, with a copy of this reader.
    """

    def __init__(self, broadcast: Broadcast) -> None:
        self._broadcast = broadcast
        self._opened: EventReader | None = None

    def initialOffset(self) -> Offset:  # noqa: N802 - Spark's names
        return self._reader.initialOffset()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self._reader.prepareForTriggerAvailableNow()

    def read(self, start: Offset) -> tuple[Iterator[tuple[Any, ...]], Offset]:
        with reported():
            end = self._reader.latestOffset(start, self._reader.getDefaultReadLimit())
            rows = [] if end == start else list(self.readBetweenOffsets(start, end))
            return iter(rows), end

    def readBetweenOffsets(self, start: Offset, end: Offset) -> Iterator[tuple[Any, ...]]:  # noqa: N802
        with reported():
            ids = self._reader.ids
            planned = (partition for partition in self._reader.partitions(start, end) if isinstance(partition, Rows))
            return iter([(ids.group(task), stage, frame) for rows in planned for task, stage, frame in rows.for_stages])

    @property
    def _reader(self) -> EventReader:
        if self._opened is None:
            self._opened = EventReader(self._broadcast, self._broadcast.unpickle())
        return self._opened

    def __getstate__(self) -> dict[str, Any]:
        return {"_broadcast": self._broadcast, "_opened": None}
