"""The state of an application as a portable file, to move it to another checkpoint or another version of the flow.

The file is JSON, one value a line, compressed with gzip: a header, then each task followed by the entries of its stores, and the
number of entries at the end. Keys and values of entries are what the state codec encoded, as Base64.
"""

import gzip
import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from eddyline.application.ports.event_log import Headers, LogIdentity
from eddyline.application.runtime.task.state import NUMBERS
from eddyline.application.topology import Topology
from eddyline.application.topology.evolution import (
    Change,
    TopologyDescription,
    breaking,
    changes,
    described,
    from_json,
    way_out,
)

FORMAT: Final = 1


class ExportedStateError(ValueError):
    """A file has no exported state, or state that a topology cannot continue; the message says why."""


class StoredEntry(NamedTuple):
    """An entry of a store, or a number of the task under the name `$cells`, as the state codec encoded it."""

    store: str
    key: bytes
    value: bytes


class WaitingRecord(NamedTuple):
    """A record of a repartition topic that a task has received but not processed; `sender` is the task that sent it."""

    topic: str
    sender: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: Headers


@dataclass(frozen=True)
class ExportedTask:
    """The state of a task.

    Args:
        topics: the topics that the sub-topology reads.
        task: the number of the task.
        entries: the entries of its stores, and its numbers.
        positions: topic, partition and offset where it continues to read, if that is before the end of the last batch.
        waiting: the records that wait for the next batch.
    """

    topics: tuple[str, ...]
    task: int
    entries: Sequence[StoredEntry]
    positions: Sequence[tuple[str, int, int]] = ()
    waiting: Sequence[WaitingRecord] = ()


@dataclass(frozen=True)
class ExportedState:
    """The state of an application after a batch.

    Args:
        application_id: the application.
        topology: the description of the topology that wrote the state.
        log: the identity of the log that the offsets belong to.
        offsets: the next offset of each partition of each source topic.
        partitions: the number of partitions of each repartition topic.
        tasks: the tasks that have state.
    """

    application_id: str
    topology: TopologyDescription
    log: LogIdentity
    offsets: Mapping[str, Sequence[int]]
    partitions: Mapping[str, int]
    tasks: Sequence[ExportedTask] = field(default=())

    def changes_to(self, topology: Topology) -> tuple[Change, ...]:
        """Return the changes from the topology that wrote the state to another one.

        Raises:
            ExportedStateError: a change breaks the state.
        """
        found = changes(self.topology, described(topology))
        broken = [change for change in breaking(found) if not change.movable]
        if broken:
            raise ExportedStateError(
                f"the flow cannot continue the exported state of application '{self.application_id}': "
                f"{'; '.join(change.text for change in broken)}; {way_out(broken)}"
            )
        return found

    @property
    def entries(self) -> int:
        """The number of entries of stores."""
        return sum(len(task.entries) for task in self.tasks)


def combined_tasks(topics: tuple[str, ...], tasks: Iterable[ExportedTask]) -> list[ExportedTask]:
    """Return the tasks of a sub-topology that reads `topics`: each continues the tasks of its number that read one of them.

    If there are several, because their sub-topologies are one now, the latest stream time is kept.
    """
    by_number: dict[int, list[ExportedTask]] = {}
    for task in tasks:
        if set(topics).intersection(task.topics):
            by_number.setdefault(task.task, []).append(task)
    return [
        ExportedTask(
            topics,
            number,
            list(combined_entries(entry for task in found for entry in task.entries)),
            [position for task in found for position in task.positions],
            [record for task in found for record in task.waiting],
        )
        for number, found in sorted(by_number.items())
    ]


def combined_entries(entries: Iterable[StoredEntry]) -> Iterator[StoredEntry]:
    """Yield the entries of several tasks, with the greatest of equally named numbers."""
    numbers: dict[bytes, int] = {}
    for entry in entries:
        if entry.store == NUMBERS:
            numbers[entry.key] = max(int(entry.value), numbers.get(entry.key, int(entry.value)))
        else:
            yield entry
    for name, number in numbers.items():
        yield StoredEntry(NUMBERS, name, str(number).encode())


def write_state(state: ExportedState, path: Path) -> None:
    """Write a file, which is complete or does not exist."""
    part = path.with_name(f"{path.name}.part")
    with gzip.open(part, "wt", encoding="utf-8") as file:
        for line in _lines(state):
            json.dump(line, file, separators=(",", ":"))
            file.write("\n")
    part.replace(path)


def read_state(path: Path) -> ExportedState:
    """Read a file.

    Raises:
        ExportedStateError: it is none that this version has written, or it is incomplete.
        OSError: it cannot be read.
    """
    if path.exists() and not path.is_file():
        raise ExportedStateError(f"'{path}' is no regular file; give one that 'eddyline state export' has written")
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return _state(json.loads(line) for line in file)
    except (gzip.BadGzipFile, EOFError, ValueError, KeyError, TypeError, IndexError, StopIteration) as error:
        if isinstance(error, ExportedStateError):
            raise
        raise ExportedStateError(
            f"file '{path}' has no exported state, or is incomplete ({type(error).__name__}: {error}); "
            "write it again with 'eddyline state export'"
        ) from error


def _lines(state: ExportedState) -> Iterator[Any]:
    yield {
        "format": FORMAT,
        "application_id": state.application_id,
        "topology": state.topology.as_json(),
        "log": state.log._asdict(),
        "offsets": dict(state.offsets),
        "partitions": dict(state.partitions),
    }
    for task in state.tasks:
        waiting = [
            [record.topic, record.sender, record.timestamp, _text(record.key), _text(record.value), _headers_text(record.headers)]
            for record in task.waiting
        ]
        yield {"topics": task.topics, "task": task.task, "positions": task.positions, "waiting": waiting}
        for store, key, value in task.entries:
            yield [store, _text(key), _text(value)]
    yield {"entries": state.entries}


def _state(lines: Iterator[Any]) -> ExportedState:
    header = next(lines)
    if header["format"] != FORMAT:
        raise ExportedStateError(
            f"exported state has format {header['format']!r}, but this version of eddyline reads format {FORMAT}; "
            "import it with the version that wrote it"
        )
    tasks: list[ExportedTask] = []
    entries: list[StoredEntry] = []
    count = None
    for line in lines:
        if isinstance(line, list):
            store, key, value = line
            entries.append(StoredEntry(store, b64decode(key), b64decode(value)))
        elif "entries" in line:
            count = line["entries"]
        else:
            entries = []
            positions = [(topic, partition, offset) for topic, partition, offset in line["positions"]]
            tasks.append(
                ExportedTask(tuple(line["topics"]), line["task"], entries, positions, list(map(_waiting, line["waiting"])))
            )
    state = ExportedState(
        header["application_id"],
        from_json(header["topology"]),
        LogIdentity(**header["log"]),
        header["offsets"],
        header["partitions"],
        tasks,
    )
    if count != state.entries:
        raise ValueError(f"{state.entries} of {count} entries")
    return state


def _waiting(fields: Sequence[Any]) -> WaitingRecord:
    topic, sender, timestamp, key, value, headers = fields
    return WaitingRecord(topic, sender, timestamp, _bytes(key), _bytes(value), tuple((n, _bytes(v)) for n, v in headers))


def _headers_text(headers: Iterable[tuple[str, bytes | None]]) -> list[list[str | None]]:
    return [[name, _text(value)] for name, value in headers]


def _text(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)
