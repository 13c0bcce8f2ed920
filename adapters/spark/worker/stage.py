"""A stage: the tasks of one sub-topology in a stateful operator of Spark.

Rows are grouped by the integer that stands for their task. Rows for other stages pass through.
"""

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark import SparkFiles
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.streaming.stateful_processor import ExpiredTimerInfo, TimerValues

from eddyline.adapters.spark.exchange.frames import Frame, unpack_frame
from eddyline.adapters.spark.exchange.task_ids import TaskIds
from eddyline.adapters.spark.failures import reported
from eddyline.adapters.spark.state.chunk_store import SparkChunkStore
from eddyline.adapters.spark.state.chunks import ChunkStore
from eddyline.adapters.spark.worker.broadcast import Broadcast

if TYPE_CHECKING:
    import pandas as pd


class Stage(StatefulProcessor):
    """Runs the tasks of one stage."""

    def __init__(self, broadcast: Broadcast, stage: int, ids: TaskIds) -> None:
        self._broadcast, self._stage, self._ids = broadcast, stage, ids

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        self._handle = handle
        self.store: ChunkStore = SparkChunkStore(handle)

    def handleInputRows(self, key: Any, rows: Any, timerValues: TimerValues) -> Iterator["pd.DataFrame"]:  # noqa: N802, N803 - Spark's names
        """Run the task on its rows and pass the rows for other stages through."""
        frames: list[Frame] = []
        for part in rows:
            own = part["stage"] == self._stage
            frames += map(unpack_frame, map(bytes, part["frame"][own]))
            if not own.all():
                yield part[~own]
        if frames:
            yield from self._run(key[0], frames, timerValues)

    def handleExpiredTimer(  # noqa: N802 - as above
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator["pd.DataFrame"]:
        """Run the task without records, for wall-clock punctuation."""
        del expiredTimerInfo
        yield from self._run(key[0], [], timerValues)

    def close(self) -> None:
        """Do nothing: tasks and their state stay cached for the next batch."""

    def _run(self, group: int, frames: list[Frame], timer_values: TimerValues) -> Iterator["pd.DataFrame"]:
        # Spark starts a process to plan each stage, which calls init() only: what a batch needs is imported here.
        from eddyline.adapters.spark.worker.batch_context import worker_batch  # noqa: PLC0415
        from eddyline.adapters.spark.worker.data_frames import data_frames  # noqa: PLC0415
        from eddyline.adapters.spark.worker.task_server import TaskBatch, processed  # noqa: PLC0415

        # Spark collects garbage after every batch in a worker; frozen objects are not examined again.
        gc.freeze()
        with reported():
            batch_time = timer_values.getCurrentProcessingTimeInMs()
            now = batch_time if batch_time >= 0 else max(frame.now_ms for frame in frames)
            task = self._ids.task(group)
            batch = TaskBatch(self._stage, task, frames, now, worker_batch())
            yield from data_frames(processed(self._broadcast, batch, self, self._ids.partition(task)), self._ids)

    def shared_file(self, name: str) -> bytes:
        """Return the content of a file that Spark has brought to this executor, nothing if there is no such file."""
        path = Path(SparkFiles.get(name))
        return path.read_bytes() if path.exists() else b""

    def set_timer(self, due_ms: int | None) -> None:
        """Let Spark run the task that it has now at this time, in ms since the epoch; None leaves its timers as they are."""
        if due_ms is None:
            return
        registered = list(self._handle.listTimers())
        if due_ms not in registered:
            self._handle.registerTimer(due_ms)
        for old in registered:
            if old > due_ms:
                self._handle.deleteTimer(old)
