"""What a replay looks for."""

from collections.abc import Callable
from typing import Any

from eddyline.application.lineage.origins import Origins, origins_of, plain
from eddyline.application.lineage.replay import Replay
from eddyline.application.lineage.tracker import NO_RESULTS, StopReplayError, Wanted
from eddyline.application.lineage.transit import Result
from eddyline.application.ports.event_log import EventLog, LogRecord
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.progress.store_rows import StoreRow, row_of
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology.stores import StoreSpec


class ResultTarget:
    """A record of a result topic, which is the `number`th with the same content in its partition.

    Attributes:
        seen: How many equal results the replay has given so far.
        origins: The origins of the last of them.
        similar: The last result with the same key and timestamp, but another value.
    """

    def __init__(self, record: LogRecord, number: int) -> None:
        self.record, self.number = record, number
        self.begin()

    @property
    def is_certain(self) -> bool:
        """Whether the replay has given the result as often as its partition has it up to this one."""
        return self.seen >= self.number

    @property
    def wanted(self) -> Wanted:
        """The topic and the timestamp of the result."""
        return Wanted(self.record.topic, self.record.timestamp)

    def begin(self) -> None:
        """Forget what earlier replays have given."""
        self.seen = 0
        self.origins: Origins = None
        self.similar: Result | None = None

    @property
    def is_found(self) -> bool:
        """Whether the replay has given the result at least once."""
        return self.seen > 0

    def on_result(self, result: Result) -> None:
        """Compare a result. Raises StopReplayError if it is the one that is looked for."""
        record = self.record
        if result.timestamp != record.timestamp or result.topic != record.topic or result.key != record.key:
            return
        if result.value != record.value or tuple(result.headers) != tuple(record.headers):
            self.similar = result
            return
        self.seen += 1
        self.origins = result.origins
        if self.seen >= self.number:
            raise StopReplayError

    def finish(self, replay: Replay) -> None:
        """Take nothing from the state at the end."""

    def once(self) -> "ResultTarget":
        """Return a target that is found as soon as there is an equal result."""
        return ResultTarget(self.record, 1)


class EntryTarget:
    """An entry of a store at the end of the log; `wanted` returns whether a row is the one to explain.

    Attributes:
        row: The row that was found, with its store key.
        origins: Its origins.
    """

    def __init__(self, spec: StoreSpec, wanted: Callable[[StoreRow], bool], value: Any = None) -> None:
        self.spec, self._wanted, self._value = spec, wanted, value
        self.begin()

    wanted = NO_RESULTS
    is_certain = False

    def begin(self) -> None:
        """Forget what earlier replays have given."""
        self.row: StoreRow | None = None
        self.others: list[StoreRow] = []
        self.origins: Origins = None
        self._expected: Any = None

    @property
    def is_found(self) -> bool:
        """Whether the store has the entry."""
        return self.row is not None

    def on_result(self, result: Result) -> None:
        """Ignore results."""

    def finish(self, replay: Replay) -> None:
        """Look the entry up in the stores of the tasks."""
        for task in replay.tasks:
            if self.spec.name in task.stores:
                self._look_up(task)

    def _look_up(self, task: Task) -> None:
        for key, value in task.stores[self.spec.name].snapshot():
            row = row_of(self.spec, StoreChange(key, plain(value)))
            if row.value is None or not self._wanted(row):
                continue
            if self._value is not None and (row.window, row.value, row.timestamp) != self._value:
                continue
            if self.row is None or (row.window or (), row.timestamp or 0) >= (self.row.window or (), self.row.timestamp or 0):
                if self.row is not None:
                    self.others.append(self.row)
                self.row, self.origins = row, origins_of(value)
            else:
                self.others.append(row)

    def once(self) -> "EntryTarget":
        """Return a target that is found if a replay gives the same value and timestamp again."""
        if self.row is None:
            return self
        return EntryTarget(self.spec, self._wanted, (self.row.window, self.row.value, self.row.timestamp))


def equal_before(log: EventLog, record: LogRecord) -> int:
    """Return the number of records in the partition with the same content, up to and including this one."""
    first = log.beginning_offset(record.topic, record.partition)
    return sum(
        1
        for batch in log.read(record.topic, record.partition, first, record.offset + 1)
        for other in batch
        if (other.key, other.value, other.timestamp, other.headers)
        == (record.key, record.value, record.timestamp, record.headers)
    )
