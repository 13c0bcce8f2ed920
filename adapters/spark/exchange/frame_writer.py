"""Packs the records that a task sends to other tasks into frames, and collects its results."""

from collections.abc import Callable, Iterator, Mapping

from eddyline.adapters.spark.exchange.blobs import size_of
from eddyline.adapters.spark.exchange.columns import FRAME_BYTES, Columns, Sequenced
from eddyline.adapters.spark.exchange.frames import Frame, Kind, Sender, pack_frame
from eddyline.adapters.spark.exchange.rows import END, Row
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import Results, SinkRecord
from eddyline.application.runtime.output.record_collector import Outlet


class FrameWriter(Outlet):
    """The outlet of one task: packs the records for each receiver into frames, and returns the full ones as rows.

    Results become frames too, which go to the driver, unless the task keeps them.

    Args:
        stage: the stage of the task.
        task: the number of the task.
        stages: the stage that reads each repartition topic.
        keep: takes the results, many at a time.
        sequenced: whether records carry what orders them by arrival, over all topics.
    """

    def __init__(
        self,
        stage: int,
        task: int,
        stages: Mapping[str, int],
        keep: Callable[[Columns | Results], None] | None = None,
        *,
        sequenced: bool = False,
    ) -> None:
        self._stage, self._task, self._stages, self._keep, self._sequenced = stage, task, stages, keep, sequenced
        self._end = (END, task)
        self.begin(0)

    def begin(self, now_ms: int) -> None:
        """Start a batch at this wall-clock time."""
        self._now_ms = now_ms
        self._waiting: dict[tuple[int, int], Columns] = {}
        self._full: list[Row] = []
        self._frames = 0
        self._records = 0

    def send(self, record: SinkRecord, arrival: int, to: TopicPartition | None = None) -> None:
        """Add a record for the task that reads `to`, or for the event sink."""
        target = self._end if to is None else (self._stages[to.topic], to.partition)
        columns = self._columns(target)
        if self._sequenced:
            columns.sequences.append(Sequenced(arrival, self._records))
            self._records += 1
        if columns.add(*record):
            self._pack(target)

    def send_all(self, results: Results) -> None:
        """Add records of one topic for the event sink; they must not be changed afterwards."""
        if self._keep is not None:
            if self._end in self._waiting:
                self._pack(self._end)
            self._keep(results)
            return
        self._add_all(results, self._end)

    def send_to(self, records: Results, to: TopicPartition) -> None:
        """Add records for the task that reads `to`."""
        if self._sequenced:
            super().send_to(records, to)
        else:
            self._add_all(records, (self._stages[to.topic], to.partition))

    def full_rows(self) -> Iterator[Row]:
        """Return the rows of the frames that are full, each once."""
        full, self._full = self._full, []
        return iter(full)

    def flush(self) -> Iterator[Row]:
        """Return the rows of all remaining frames, full or not; the remaining results are kept."""
        for target in list(self._waiting):
            self._pack(target)
        return self.full_rows()

    def row(self, kind: Kind, body: bytes) -> Row:
        """Return a row that goes to the driver."""
        return Row(self._task, END, self._frame(kind, body))

    def _add_all(self, records: Results, target: tuple[int, int]) -> None:
        """Add records, in halves if they are too large for a frame."""
        size, count = size_of(records.keys) + size_of(records.values), len(records.keys)
        if size > FRAME_BYTES and count > 1:
            self._add_all(records.part(slice(0, count // 2)), target)
            self._add_all(records.part(slice(count // 2, count)), target)
        elif self._columns(target).add_all(records, size):
            self._pack(target)

    def _columns(self, target: tuple[int, int]) -> Columns:
        columns = self._waiting.get(target)
        if columns is None:
            columns = self._waiting[target] = Columns()
        return columns

    def _pack(self, target: tuple[int, int]) -> None:
        stage, task = target
        if stage == END and self._keep is not None:
            self._keep(self._waiting.pop(target))
            return
        kind = Kind.RESULTS if stage == END else Kind.RECORDS
        self._full.append(Row(task, stage, self._frame(kind, self._waiting.pop(target).pack())))

    def _frame(self, kind: Kind, body: bytes) -> bytes:
        self._frames += 1
        return pack_frame(Frame(Sender(self._stage, self._task, self._frames), kind, self._now_ms, body))
