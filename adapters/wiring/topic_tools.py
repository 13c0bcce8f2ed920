"""Producers and consumers of topics in files and in memory."""

from pathlib import Path
from typing import Any

from eddyline.adapters.files.consumer import FileConsumer
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.files.group import FileGroup
from eddyline.adapters.files.topic_folders import TopicFolders
from eddyline.adapters.memory.consumer import LogConsumer, MemoryGroup
from eddyline.adapters.memory.event_log import MemoryEventLog
from eddyline.adapters.memory.event_sink import MemoryEventSink
from eddyline.adapters.memory.producer import LogProducer
from eddyline.application.ports.record_clients import OnReport


class FileTools:
    """The tools for topics in the folder `root`; the tools for Kafka have the same methods."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def create_topic(self, topic: str, partitions: int) -> bool:
        """Create a topic; return False if it exists."""
        if topic in FileEventLog(self._root).topics():
            return False
        FileEventSink(self._root).create_topic(topic, partitions)
        return True

    def delete_topic(self, topic: str) -> None:
        """Delete a topic with its records."""
        TopicFolders(self._root).delete(topic)

    def replication(self, topic: str) -> None:
        """Return None: files are not replicated."""

    def consumers(
        self,
        topic: str,
        group: str | None,
        *,
        start: tuple[str, int],
        count: int,
        max_batch_records: int,
        until_end: bool,
        **_: Any,
    ) -> FileConsumer:
        """Return a consumer of a topic.

        Raises:
            ValueError: a group, or more than one consumer, was asked for.
        """
        if group is not None or count > 1:
            raise ValueError("topics in files have no consumer groups; leave out --group and --consumers, or choose --log kafka")
        return FileConsumer(self._root, topic, start=start, max_batch_records=max_batch_records, until_end=until_end)

    def consumer(self, group: str | None, *, start: tuple[str, int]) -> LogConsumer:
        """Return a single consumer."""
        folder = self._root.parent / "groups"
        return LogConsumer(FileEventLog(self._root), None if group is None else FileGroup(folder, group, self._root), start=start)

    def producer(self, *, on_report: OnReport | None = None, acks: str = "all", partitioner: str = "by-key") -> LogProducer:
        """Return a producer. Raises ValueError for an unknown partitioner."""
        del acks  # what is in a file is acknowledged
        root = self._root
        return LogProducer(FileEventLog(root), FileEventSink(root), on_report=on_report, partitioner=partitioner)


class MemoryTools:
    """Producers and consumers of topics in this process."""

    def __init__(self, log: MemoryEventLog) -> None:
        self._log = log

    def create_topic(self, topic: str, partitions: int) -> bool:
        """Create a topic; return False if it exists."""
        exists = topic in self._log.topics()
        self._log.create_topic(topic, partitions)
        return not exists

    def consumer(self, group: str | None, *, start: tuple[str, int]) -> LogConsumer:
        """Return a consumer; those of a group share its partitions and offsets."""
        joined = None if group is None else self._log.groups.setdefault(group, MemoryGroup(self._log))
        return LogConsumer(self._log, joined, start=start)

    def producer(self, *, acks: str = "all", partitioner: str = "by-key") -> LogProducer:
        """Return a producer. Raises ValueError for an unknown partitioner."""
        del acks
        return LogProducer(self._log, MemoryEventSink(self._log), partitioner=partitioner)
