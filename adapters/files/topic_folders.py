"""The layout of topics in a folder.

<root>/trades/topic.json                          {"partitions": 2}; optional in a topic folder that was created by hand
<root>/trades/partition-0.jsonl                   the records, one per line (line.py)
<root>/trades/.eddyline/id                        the id of the topic (topic_id.py)
<root>/trades/.eddyline/partition-0.index         where lines begin (line_index.py)
<root>/trades/.eddyline/partition-0.journal       which batches were written (journal.py)
<root>/.eddyline/<writer>.slot-0                  the last batch number of a writer and slot (event_sink.py)
"""

import json
import os
import re
import shutil
import time
from pathlib import Path
from stat import S_ISREG
from typing import Any, TypeAlias
from urllib.parse import quote, unquote
from uuid import uuid4

from eddyline.adapters.files.durable import sync_folder, write_file
from eddyline.adapters.files.topic_id import PartitionFiles, topic_id
from eddyline.application.ports.event_log import UnknownTopicError
from eddyline.application.ports.event_sink import InvalidTopicError

_TOPIC_NAME = re.compile(r"(?!\.)[A-Za-z0-9._-]{1,249}")
_PARTITION_FILE = re.compile(r"partition-(0|[1-9][0-9]*)\.jsonl")
_METADATA = ".eddyline"
_COARSEST_NS = 3_000_000_000
"""What changed less long ago may change again without another modification time: file systems count in up to two seconds."""
_Version: TypeAlias = tuple[int, int, int, int]
MAX_PARTITIONS = 100_000
"""The greatest number of partitions of a topic, which has a file for each."""


class PartitionFileError(OSError):
    """A partition, or a topic.json, is no regular file; the message has its path."""


class TopicFolders:
    """The topic folders in the folder `root`, and the paths of their files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._counted: dict[str, tuple[_Version, int]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle: other processes may have another working directory."""
        return {"root": self.root.absolute(), "_counted": {}}

    def topics(self) -> list[str]:
        """Return the names of all topics, sorted: folders that contain a `topic.json` or a partition file."""
        if not self.root.is_dir():
            return []
        return sorted(folder.name for folder in self.root.iterdir() if _TOPIC_NAME.fullmatch(folder.name) and _is_topic(folder))

    def partitions(self, topic: str) -> int:
        """Return the number of partitions: the number in `topic.json`, or more if there are more partition files.

        They are counted again once the folder or `topic.json` has changed.

        Raises:
            UnknownTopicError: there is no such topic.
            ValueError: `topic.json` is invalid.
        """
        version = _version(self.root / topic)
        counted = self._counted.get(topic)
        if counted is not None and counted[0] == version:
            return counted[1]
        now = self._count(topic)
        if version is not None and max(version[1], version[3]) < time.time_ns() - _COARSEST_NS:
            self._counted[topic] = version, now
        return now

    def _count(self, topic: str) -> int:
        folder = self.root / topic
        if not _TOPIC_NAME.fullmatch(topic) or not folder.is_dir():
            raise self._unknown(topic)
        found = [number for number, file in _partition_files(folder) if _is_regular(file)]
        declared = _declared_partitions(folder)
        if declared is None and not found:
            raise self._unknown(topic)
        last = max(found, default=-1)
        if last >= MAX_PARTITIONS:
            raise PartitionFileError(
                f"'{self.partition_file(topic, last)}' has too high a number; partitions are 0 to {MAX_PARTITIONS - 1}"
            )
        return max(declared or 0, last + 1)

    def create(self, topic: str, partitions: int) -> None:
        """Create the topic folder with `topic.json` and empty partition files; do nothing if the topic exists.

        Raises:
            InvalidTopicError: the name is not a valid topic name, or `partitions` is less than 1 or more than 100,000.
        """
        if not _TOPIC_NAME.fullmatch(topic):
            raise InvalidTopicError(
                f"'{topic}' is not a valid topic name; use 1 to 249 letters (a-z, A-Z), digits, '.', '_' and '-', not starting"
                " with '.'"
            )
        if not 1 <= partitions <= MAX_PARTITIONS:
            raise InvalidTopicError(f"topic '{topic}' cannot have {partitions} partitions; it needs 1 to {MAX_PARTITIONS}")
        folder = self.root / topic
        if folder.is_dir() and _is_topic(folder):
            return
        folder.mkdir(0o700, parents=True, exist_ok=True)
        self._declare(folder, partitions)
        for number in range(self.partitions(topic)):
            self.partition_file(topic, number).touch(0o600)
        sync_folder(folder)
        sync_folder(self.root)

    def delete(self, topic: str) -> None:
        """Delete the topic folder with everything in it; do nothing if there is no such topic."""
        if topic not in self.topics():
            return
        deleted = self.root / f".{topic}.{uuid4().hex}"
        (self.root / topic).rename(deleted)
        sync_folder(self.root)
        shutil.rmtree(deleted)

    def topic_id(self, topic: str) -> str:
        """Return the id of the topic, which changes if its offsets start again; empty if it cannot be stored.

        Raises:
            UnknownTopicError: there is no such topic.
        """
        partitions = [
            PartitionFiles(number, self.partition_file(topic, number), self.journal_file(topic, number))
            for number in range(self.partitions(topic))
        ]
        return topic_id(self._id_file(topic), partitions)

    def renew_topic_id(self, topic: str) -> None:
        """Let the topic have another id from now on, since its offsets start again."""
        self._id_file(topic).unlink(missing_ok=True)

    def partition_file(self, topic: str, partition: int) -> Path:
        """Return the path of a partition file; it may not exist yet."""
        return self.root / topic / f"partition-{partition}.jsonl"

    def index_file(self, topic: str, partition: int) -> Path:
        """Return the path of the line index of a partition; it may not exist yet."""
        return self.root / topic / _METADATA / f"partition-{partition}.index"

    def journal_file(self, topic: str, partition: int) -> Path:
        """Return the path of the journal of a partition; it may not exist yet."""
        return self.root / topic / _METADATA / f"partition-{partition}.journal"

    def slot_file(self, writer: str, slot: int) -> Path:
        """Return the path of the file with the last batch number of a writer and slot; it may not exist yet."""
        return self.root / _METADATA / f"{quote(writer, safe='')}.slot-{slot}"

    def slot_files(self) -> dict[Path, str]:
        """Return all existing slot files with their writers."""
        found = sorted((self.root / _METADATA).glob("*.slot-*"))
        return {path: unquote(path.name.rpartition(".slot-")[0]) for path in found}

    def _declare(self, folder: Path, partitions: int) -> None:
        """Create `topic.json` atomically; if several processes do so, the first one determines the number of partitions."""
        draft = folder / f".topic.json.{uuid4().hex}"
        write_file(draft, f"{json.dumps({'partitions': partitions})}\n".encode())
        try:
            os.link(draft, folder / "topic.json")
        except FileExistsError:
            return
        finally:
            draft.unlink()

    def _id_file(self, topic: str) -> Path:
        return self.root / topic / _METADATA / "id"

    def _unknown(self, topic: str) -> UnknownTopicError:
        known = ", ".join(self.topics()) or "no topics"
        return UnknownTopicError(
            f"topic '{topic}' is unknown in {self.root}, which has: {known}; "
            f"create the directory '{self.root / topic}' with a file partition-0.jsonl"
        )


def _version(folder: Path) -> _Version | None:
    """Return the inodes and modification times of the folder of a topic and its `topic.json`; None if one is missing."""
    try:
        found, declared = folder.stat(), (folder / "topic.json").stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, declared.st_ino, declared.st_mtime_ns


def _is_topic(folder: Path) -> bool:
    return folder.is_dir() and ((folder / "topic.json").exists() or bool(_partition_files(folder)))


def _partition_files(folder: Path) -> list[tuple[int, os.DirEntry[str]]]:
    with os.scandir(folder) as entries:
        return [(int(found[1]), entry) for entry in entries if (found := _PARTITION_FILE.fullmatch(entry.name))]


def _is_regular(file: os.DirEntry[str]) -> bool:
    """Return whether a partition is still there. Raises PartitionFileError if it is no regular file."""
    if file.is_file():
        return True
    if not Path(file).exists():
        return False  # deleted meanwhile
    raise PartitionFileError(
        f"'{file.path}' is {'a directory' if file.is_dir() else 'no regular file'}, but a partition is a file with a record per "
        "line; move it elsewhere"
    )


def _declared_partitions(folder: Path) -> int | None:
    path = folder / "topic.json"
    try:
        if not S_ISREG(path.stat().st_mode):
            raise PartitionFileError(f"'{path}' is {'a directory' if path.is_dir() else 'no regular file'}; move it elsewhere")
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        text = ""
    try:
        partitions = json.loads(text)["partitions"]
    except (ValueError, KeyError, TypeError, RecursionError):
        partitions = None
    if type(partitions) is not int or not 1 <= partitions <= MAX_PARTITIONS:
        raise ValueError(f'{path} does not contain a valid number of partitions; write, for example, {{"partitions": 4}}')
    return partitions
