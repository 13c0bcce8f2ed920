"""What a task has to remember besides its stores, as records of a compacted topic: positions, numbers and waiting records.

The topic `<application.id>-tasks` has a partition for each task number. The key of a record names the topics that the task reads,
so that it is found again if the sub-topologies of another version are numbered differently; a newer record of a task replaces the
one before. One more record, of the whole application, has the identity of the log and the description of the topology.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from eddyline.application.ports.event_log import LogIdentity, LogRecord, TopicPartition
from eddyline.application.ports.event_sink import SinkRecord

FORMAT: Final = 2
_APPLICATION: Final = b"application"
_TASK: Final = "task:"


class TaskRecord(NamedTuple):
    """What a task has to remember besides its stores after a batch.

    Attributes:
        topics: The topics that it reads, repartition topics included.
        batch: The number of the batch.
        time_ms: The wall-clock time of the batch, in ms since the epoch.
        numbers: Its numbers by name, as `Task.numbers` returns them.
        positions: The next offset to read, by partition of its source topics.
        changelogs: An offset that the changelog of each of its stores has reached at least, by topic.
        waiting: The records of repartition topics that it has received but not processed, by sender.
    """

    topics: tuple[str, ...]
    batch: int
    time_ms: int
    numbers: Mapping[str, int]
    positions: Mapping[TopicPartition, int]
    changelogs: Mapping[str, int] = MappingProxyType({})
    waiting: Sequence[tuple[int, LogRecord]] = ()


class ApplicationRecord(NamedTuple):
    """What holds for all tasks: the log, the description of the topology, and the partitions of repartition topics.

    `moved_to` is the engine that has continued from this state, so that it must not be continued here; empty if none has.
    """

    log: LogIdentity
    topology: Mapping[str, Any]
    partitions: Mapping[str, int]
    moved_to: str = ""


def tasks_topic(application_id: str) -> str:
    """Return the name of the topic."""
    return f"{application_id}-tasks"


def task_record(application_id: str, number: int, record: TaskRecord) -> SinkRecord:
    """Return the record of the topic for the task with this number."""
    offsets: dict[str, dict[int, int]] = {}
    for (topic, partition), offset in record.positions.items():
        offsets.setdefault(topic, {})[partition] = offset
    value = {
        "format": FORMAT,
        "topics": record.topics,
        "batch": record.batch,
        "time": record.time_ms,
        "numbers": dict(record.numbers),
        "offsets": offsets,
        "changelogs": dict(record.changelogs),
    }
    if record.waiting:
        value["waiting"] = [_waiting_fields(sender, found) for sender, found in record.waiting]
    key = f"{_TASK}{','.join(record.topics)}".encode()
    return SinkRecord(tasks_topic(application_id), key, _json(value), max(record.time_ms, 0), (), number)


def application_record(application_id: str, time_ms: int, record: ApplicationRecord) -> SinkRecord:
    """Return the record of the topic for the application."""
    value = {"format": FORMAT, **record._asdict(), "log": record.log._asdict()}
    return SinkRecord(tasks_topic(application_id), _APPLICATION, _json(value), max(time_ms, 0), (), 0)


def decoded(record: LogRecord) -> TaskRecord | ApplicationRecord:
    """Return what a record of the topic holds.

    Raises:
        ValueError: it was not written by this version.
    """
    try:
        found = json.loads(record.value or b"")
        _check_format(found["format"])
        if record.key == _APPLICATION:
            return ApplicationRecord(LogIdentity(**found["log"]), found["topology"], found["partitions"], found["moved_to"])
        positions = {
            TopicPartition(topic, int(partition)): offset
            for topic, offsets in found["offsets"].items()
            for partition, offset in offsets.items()
        }
        waiting = [_waiting(fields) for fields in found.get("waiting", ())]
        return TaskRecord(
            tuple(found["topics"]), found["batch"], found["time"], found["numbers"], positions, found["changelogs"], waiting
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"topic '{record.topic}', partition {record.partition}, offset {record.offset} has no record that this version can "
            f"read ({error}); reset the application to create the topic again"
        ) from error


def _check_format(found: object) -> None:
    if found != FORMAT:
        raise ValueError(f"format {found!r}")


def _json(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _waiting_fields(sender: int, record: LogRecord) -> list[Any]:
    topic, _, _, timestamp, key, value, headers, arrival, _ = record
    return [sender, topic, timestamp, _text(key), _text(value), [[name, _text(data)] for name, data in headers], arrival]


def _waiting(fields: Sequence[Any]) -> tuple[int, LogRecord]:
    sender, topic, timestamp, key, value, headers, arrival = fields
    found = tuple((name, _bytes(data)) for name, data in headers)
    return sender, LogRecord(topic, 0, 0, timestamp, _bytes(key), _bytes(value), found, arrival)


def _text(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)
