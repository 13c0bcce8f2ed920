"""The adapters that the tests of event log and event sink run on: each environment is a log with a sink that writes to it."""

import shutil
from abc import ABC, abstractmethod
from itertools import count
from pathlib import Path

from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.application.ports.event_log import EventLog, LogRecord
from eddyline.application.ports.event_sink import EventSink, SinkRecord


class Environment(ABC):
    """An event log and an event sink on the same records; each call of `log` and `sink` returns a new object.

    Attributes:
        earliest: The lowest timestamp that the log can store.
        unnameable: The characters that a header name must not contain.
    """

    earliest = 0
    unnameable = ""

    def __init__(self) -> None:
        self._numbers = count()

    @abstractmethod
    def log(self) -> EventLog: ...

    @abstractmethod
    def sink(self) -> EventSink: ...

    @abstractmethod
    def delete_topic(self, topic: str) -> None: ...

    @abstractmethod
    def add_partitions(self, topic: str, partitions: int) -> None:
        """Add partitions until the topic has this many."""

    def new_topic(self, partitions: int = 1) -> str:
        topic = f"topic-{next(self._numbers)}"
        self.sink().create_topic(topic, partitions)
        return topic


class MemoryEnvironment(Environment):
    def __init__(self) -> None:
        super().__init__()
        self._log = MemoryEventLog()

    def log(self) -> EventLog:
        return self._log

    def sink(self) -> EventSink:
        return MemoryEventSink(self._log)

    def delete_topic(self, topic: str) -> None:
        self._log.delete_topic(topic)

    def add_partitions(self, topic: str, partitions: int) -> None:
        self._log.add_partitions(topic, partitions)


class FileEnvironment(Environment):
    def __init__(self, root: Path) -> None:
        super().__init__()
        self._root = root

    def log(self) -> EventLog:
        return FileEventLog(self._root)

    def sink(self) -> EventSink:
        return FileEventSink(self._root)

    def delete_topic(self, topic: str) -> None:
        shutil.rmtree(self._root / topic)

    def add_partitions(self, topic: str, partitions: int) -> None:
        (self._root / topic / f"partition-{partitions - 1}.jsonl").touch()


def read_all(log: EventLog, topic: str, partition: int = 0, *, start: int | None = None) -> list[LogRecord]:
    """Return the records of a partition, from its beginning or from an offset."""
    begin = log.beginning_offset(topic, partition) if start is None else start
    return [record for batch in log.read(topic, partition, begin, log.end_offset(topic, partition)) for record in batch]


def values(log: EventLog, topic: str, partition: int = 0) -> list[bytes | None]:
    return [record.value for record in read_all(log, topic, partition)]


def as_sink_record(record: LogRecord) -> SinkRecord:
    """Return the record in the form in which it was passed to a sink that chose the partition."""
    return SinkRecord(record.topic, record.key, record.value, record.timestamp, record.headers)
