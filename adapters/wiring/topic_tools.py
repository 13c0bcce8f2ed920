"""What `eddyline produce` and `consume` do with topics in files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from eddyline.adapters.files.consumer import FileConsumer
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.adapters.files.producer import FileProducer, FileReport


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

    def producer(self, *, on_report: Callable[[FileReport], None], acks: str, partitioner: str) -> FileProducer:
        """Return a producer. Raises ValueError for an unknown partitioner."""
        del acks  # what is in a file is acknowledged
        return FileProducer(self._root, on_report=on_report, partitioner=partitioner)
