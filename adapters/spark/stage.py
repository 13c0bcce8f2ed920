"""A stage: the tasks of one sub-topology inside a stateful operator of Spark.

Rows are grouped by the number of their task. Those of another stage pass through.
"""

import gc
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.streaming.stateful_processor import ExpiredTimerInfo, TimerValues

from eddyline.adapters.spark.chunks import ChunkedState
from eddyline.adapters.spark.frames import Frame, unwrap
from eddyline.adapters.spark.hosting import HostedTask
from eddyline.adapters.spark.plan import Plan
from eddyline.adapters.spark.shipping import Shipped
from eddyline.adapters.spark.state import SparkCells
from eddyline.adapters.spark.tasks import task_of

if TYPE_CHECKING:
    import pandas as pd

_KEPT: dict[tuple[str, int, int], tuple[ChunkedState, HostedTask]] = {}
"""What this worker keeps between batches, by run, stage and task; it counts only if the stored state says so."""


class Stage(StatefulProcessor):
    """Hosts the tasks of one stage. `groups` is the number of Spark's partitions."""

    def __init__(self, plan: Shipped, stage: int, groups: int) -> None:
        self._plan, self._stage, self._groups = plan, stage, groups

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Opens the state."""
        self._handle = handle
        self._cells = SparkCells(handle)

    def handleInputRows(self, key: Any, rows: Any, timerValues: TimerValues) -> Iterator["pd.DataFrame"]:  # noqa: N802, N803 - Spark's names
        """Hands on the rows of other stages and runs the task on its own."""
        frames: list[Frame] = []
        for part in rows:
            own = part["stage"] == self._stage
            frames += map(unwrap, map(bytes, part["frame"][own]))
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
        """Lets the task see the wall clock."""
        del expiredTimerInfo
        yield from self._run(key[0], [], timerValues)

    def close(self) -> None:
        """Nothing is open: what is kept stays for the next batch."""

    def _run(self, group: int, frames: list[Frame], timer_values: TimerValues) -> Iterator["pd.DataFrame"]:
        from eddyline.adapters.spark.data_frames import in_frames  # noqa: PLC0415 - not needed, and not loaded, where queries are planned

        # The worker collects garbage after every task: what is alive now need not be looked at ever again.
        gc.freeze()
        plan: Plan = self._plan.value
        number = task_of(group, self._groups)
        batch_time = timer_values.getCurrentProcessingTimeInMs()
        now = batch_time if batch_time >= 0 else max(frame.now_ms for frame in frames)
        place = (self._plan.name, self._stage, number)
        kept = _KEPT.pop(place) if place in _KEPT else None
        state, hosted = kept or (ChunkedState(), HostedTask(plan, self._stage, number, now))
        missed = state.catch_up(self._cells)
        if missed.anew:
            hosted = HostedTask(plan, self._stage, number, now)
        hosted.restore(missed.changes)
        yield from in_frames(hosted.run(frames, now), self._groups)
        state.commit(self._cells, hosted.changes)
        self._set_timer(hosted)
        _KEPT[place] = (state, hosted)

    def _set_timer(self, hosted: HostedTask) -> None:
        due = hosted.timer_due()
        if due is None:
            return
        set_before = list(self._handle.listTimers())
        if due not in set_before:
            self._handle.registerTimer(due)
        for old in set_before:
            if old > due:
                self._handle.deleteTimer(old)
