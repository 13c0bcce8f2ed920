"""The changelogs of one task, for engines that do not encode the changes of its stores otherwise."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from eddyline.application.ports.codec import CodecError, Codecs
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.plan.changelogs import BatchProgress, entry_record, progress_records
from eddyline.application.runtime.plan.topic_types import state_codecs
from eddyline.application.runtime.task.task import Task


class _Store(NamedTuple):
    topic: str
    encode_key: Callable[[Any], bytes | None]
    encode_value: Callable[[Any], bytes | None]


class TaskChangelog:
    """Encodes the changes of a task's stores as records of their changelogs; `topics` has a topic by store."""

    def __init__(self, task: Task, topics: Mapping[str, str], codecs: Codecs) -> None:
        self._task, self._topics = task, topics
        self._stores = {name: self._store(name, topic, codecs) for name, topic in topics.items()}

    def changes(self) -> list[SinkRecord]:
        """Drain the changes of the task and return their records.

        Raises:
            CodecError: an entry cannot be encoded.
        """
        return list(self._changes())

    def progress(self, batch: BatchProgress) -> list[SinkRecord]:
        """Return the progress records of a batch, which follow its changes."""
        return progress_records(self._topics.values(), self._task.partition, self._task.stream_time, batch)

    def _changes(self) -> Iterator[SinkRecord]:
        task, stream_time = self._task, self._task.stream_time
        for store, (key, value) in task.drain_changes():
            found = self._stores.get(store)
            if found is not None:
                try:
                    encoded = found.encode_key(key), found.encode_value(value)
                except CodecError as error:
                    task.note_unencodable(error, store, key)
                    raise
                yield entry_record(found.topic, task.partition, *encoded, stream_time)

    def _store(self, name: str, topic: str, codecs: Codecs) -> _Store:
        key, value = state_codecs(self._task.state_types(name), codecs)
        return _Store(topic, key.encode, value.encode)
