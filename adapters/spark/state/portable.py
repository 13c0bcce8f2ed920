"""Converts the entries of a task's state to the portable form and back."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from eddyline.adapters.spark.exchange.columns import Packed, pack_records, unpack_fields
from eddyline.adapters.spark.state.chunks import Entry, unpack_entries
from eddyline.adapters.spark.state.entries import FIRST_STORE, NAMES, POSITIONS, PREFIX_BYTES, WAITING
from eddyline.application.operations.exported_state import ExportedTask, StoredEntry, WaitingRecord


class ImportedState(NamedTuple):
    """The state that a checkpoint begins with, in a directory with a file for each task.

    Args:
        folder: the directory, or, if it `is_shared`, its name among the files that Spark brings to the executors.
        offsets: where each topic continues.
        is_shared: whether the directory is not on a disk of the workers.
    """

    folder: str
    offsets: dict[str, list[int]]
    is_shared: bool = False

    def entries(self, stage: int, task: int, shared_file: Callable[[str], bytes]) -> list[Entry]:
        """Return the entries that a task begins with; `shared_file` returns the content of a file that Spark has brought."""
        name = f"{self.folder}/{file_name(stage, task)}"
        if self.is_shared:
            return list(unpack_entries(shared_file(name)))
        path = Path(name)
        return list(unpack_entries(path.read_bytes())) if path.exists() else []


def file_name(stage: int, task: int) -> str:
    """Return the name of the file with the state of a task."""
    return f"{stage}-{task}"


def exported_task(topics: tuple[str, ...], task: int, entries: Iterable[Entry]) -> ExportedTask:
    """Return the portable form of all entries of a task."""
    found = {key: value for key, value in entries if value is not None}
    names = {prefix: key[PREFIX_BYTES:].decode() for key, prefix in found.items() if key.startswith(NAMES)}
    stored: list[StoredEntry] = []
    positions: list[tuple[str, int, int]] = []
    waiting: list[WaitingRecord] = []
    for key, value in sorted(found.items()):
        prefix, rest = key[:PREFIX_BYTES], key[PREFIX_BYTES:]
        if prefix == POSITIONS:
            partition, _, topic = rest.decode().partition(":")
            positions.append((topic, int(partition), int(value)))
        elif prefix == WAITING:
            waiting += _records(value)
        elif prefix != NAMES:
            stored.append(StoredEntry(names[prefix], rest, value))
    return ExportedTask(topics, task, stored, positions, waiting)


def task_entries(task: ExportedTask) -> Iterator[Entry]:
    """Yield the entries of a task in the portable form."""
    prefixes: dict[str, bytes] = {}
    for store, key, value in task.entries:
        prefix = prefixes.get(store)
        if prefix is None:
            prefix = prefixes[store] = (FIRST_STORE + len(prefixes)).to_bytes(PREFIX_BYTES, "big")
            yield NAMES + store.encode(), prefix
        yield prefix + key, value
    for topic, partition, offset in task.positions:
        yield POSITIONS + f"{partition}:{topic}".encode(), str(offset).encode()
    packed = (Packed(r.topic, r.key, r.value, r.timestamp, r.headers, r.sender) for r in task.waiting)
    for number, frame in enumerate(pack_records(packed)):
        yield WAITING + number.to_bytes(4, "big"), frame


def _records(frame: bytes) -> Iterator[WaitingRecord]:
    fields = unpack_fields(frame)
    columns = (fields.topics, fields.partitions, fields.timestamps, fields.keys, fields.values, fields.headers)
    for topic, sender, timestamp, key, value, headers in zip(*columns, strict=True):
        yield WaitingRecord(topic, sender or 0, timestamp, key, value, headers)
