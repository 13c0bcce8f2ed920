"""Restores tasks from what their last commits have left: entries from changelogs, everything else from records of the tasks."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from eddyline.application.ports.codec import Codecs
from eddyline.application.ports.event_log import EventLog, LogRecord
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.plan.changelogs import ChangelogEntry, decode
from eddyline.application.runtime.plan.topic_types import state_codecs
from eddyline.application.runtime.progress.task_records import ApplicationRecord, TaskRecord, decoded, tasks_topic
from eddyline.application.runtime.task.state import NUMBERS
from eddyline.application.runtime.task.task import Task

_CHUNK: Final = 20_000


class StateMismatchError(RuntimeError):
    """The state that an application has left cannot be continued by this flow; the message says why, and what to do."""


class TaskRecords:
    """The records of the tasks of an application, read from their topic."""

    def __init__(self, log: EventLog, application_id: str) -> None:
        self._application_id = application_id
        self._log, self._topic = log, tasks_topic(application_id)
        self._positions: dict[int, int] = {}
        self._found: dict[int, dict[tuple[str, ...], TaskRecord]] = {}
        self.application: ApplicationRecord | None = None

    def catch_up(self, numbers: Iterable[int]) -> None:
        """Read the records of the tasks with these numbers, and that of the application, as far as the topic has them now.

        Raises:
            StateMismatchError: the topic has lost records, although it is compacted.
        """
        partitions = self._log.partitions(self._topic)
        for number in sorted({0, *numbers}):
            if number >= partitions:
                continue
            begin, end = self._log.bounds(self._topic, number)
            if begin > 0:
                raise lost_state(self._application_id, self._topic, number, f"offsets {begin} to {end}", f"those before {begin}")
            start = self._positions.get(number, 0)
            for batch in self._log.read(self._topic, number, start, end) if start < end else ():
                for record in batch:
                    self._add(number, decoded(record))
            self._positions[number] = max(start, end)

    def of(self, topics: tuple[str, ...], number: int) -> list[TaskRecord]:
        """Return the records of the tasks with this number that read one of these topics, in the order of their batches."""
        found = self._found.get(number, {}).values()
        return sorted((record for record in found if set(topics) & set(record.topics)), key=lambda record: record.batch)

    def knows(self, number: int) -> bool:
        """Return whether there are records of tasks with this number."""
        return bool(self._found.get(number))

    @property
    def last_batch(self) -> int:
        """The greatest number of a batch, -1 before the first."""
        return max((record.batch for tasks in self._found.values() for record in tasks.values()), default=-1)

    def _add(self, number: int, found: TaskRecord | ApplicationRecord) -> None:
        if isinstance(found, ApplicationRecord):
            self.application = found
        else:
            self._found.setdefault(number, {})[found.topics] = found


class _Store(NamedTuple):
    topic: str
    decode_key: Callable[[bytes | None], Any]
    decode_value: Callable[[bytes | None], Any]


class TaskRestorer:
    """Applies the changelogs of one task to its stores; may be called again and again, to keep them warm.

    Args:
        task: the task.
        topics: the changelog topics by store.
        log: the log that has them.
        codecs: the codecs of the run.
        positions: the offsets from which on changelogs are applied, by store; the others from their beginning.
    """

    def __init__(
        self, task: Task, topics: Mapping[str, str], log: EventLog, codecs: Codecs, positions: Mapping[str, int]
    ) -> None:
        self._task, self._log = task, log
        self._stores = {name: self._store(name, topic, codecs) for name, topic in topics.items()}
        self.positions = {name: positions.get(name, 0) for name in topics}

    def missing(self) -> int:
        """Return the number of offsets that are not applied yet."""
        return sum(max(0, end - max(begin, self.positions[name])) for name, (begin, end) in self._bounds().items())

    def catch_up(self) -> Iterator[int]:
        """Apply what the changelogs have now; yield the number of records after each part."""
        for name, (begin, end) in self._bounds().items():
            if (start := max(begin, self.positions[name])) < end:
                yield from self._apply(name, start, end)

    def _bounds(self) -> dict[str, tuple[int, int]]:
        number = self._task.partition
        return {name: self._log.bounds(store.topic, number) for name, store in self._stores.items()}

    def _apply(self, name: str, start: int, end: int) -> Iterator[int]:
        store = self._stores[name]
        latest: dict[bytes, bytes | None] = {}
        done = 0
        for batch in self._log.read(store.topic, self._task.partition, start, end):
            for record in batch:
                done += 1
                entry = _decoded(record)
                if entry is not None:
                    latest.pop(entry.key, None)
                    latest[entry.key] = entry.value
            if len(latest) >= _CHUNK:
                self._restore(name, store, latest)
                latest.clear()
            if done >= _CHUNK:
                yield done
                done = 0
        self._restore(name, store, latest)
        self.positions[name] = end
        yield done

    def _restore(self, name: str, store: _Store, latest: Mapping[bytes, bytes | None]) -> None:
        if latest:
            entries = latest.items()
            self._task.restore((name, StoreChange(store.decode_key(key), store.decode_value(value))) for key, value in entries)

    def _store(self, name: str, topic: str, codecs: Codecs) -> _Store:
        key, value = state_codecs(self._task.state_types(name), codecs)
        return _Store(topic, key.decode, value.decode)


def restore_numbers(task: Task, records: Iterable[TaskRecord]) -> None:
    """Restore the numbers of a task; of equal ones in several records, the greatest."""
    numbers: dict[str, int] = {}
    for record in records:
        for name, number in record.numbers.items():
            numbers[name] = max(number, numbers.get(name, number))
    task.restore((NUMBERS, StoreChange(name, number)) for name, number in numbers.items())


def _decoded(record: LogRecord) -> ChangelogEntry | None:
    found = decode(record.key, record.value, record.timestamp)
    return found if isinstance(found, ChangelogEntry) else None


def lost_state(application_id: str, topic: str, partition: int, found: str, lost: str) -> StateMismatchError:
    """Return the error for a topic that has lost a part of the state.

    Args:
        application_id: the application.
        topic: the topic.
        partition: the partition.
        found: what the partition has.
        lost: what is missing.
    """
    return StateMismatchError(
        f"the state of application '{application_id}' is lost in part: topic '{topic}', partition {partition}, has {found}, but"
        f" the application has written {lost}; the topic was deleted or emptied, or has a retention time (its cleanup.policy must"
        " be compact): restore the topic, or run 'eddyline reset' for the flow to start over"
    )
