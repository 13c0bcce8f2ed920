"""Where things lie: the folder of a topic, its partition files, and the notes kept beside them.

<root>/trades/topic.json                          {"partitions": 2}; a folder made by hand may go without
<root>/trades/partition-0.jsonl                   the records, a line each
<root>/trades/.eddyline/partition-0.index         where lines begin (line_index.py)
<root>/trades/.eddyline/partition-0.journal       which batches are in (journal.py)
<root>/.eddyline/<writer>.slot-0                  the last batch of a writer's slot (event_sink.py)
"""

import json
import os
import re
from pathlib import Path
from urllib.parse import quote, unquote
from uuid import uuid4

from eddyline.adapters.files.durable import sync_folder
from eddyline.application.ports.event_log import UnknownTopicError

_LEGAL_NAME = re.compile(r"(?!\.)[A-Za-z0-9._-]{1,249}")
_PARTITION_FILE = re.compile(r"partition-(0|[1-9][0-9]{0,6})\.jsonl")
_NOTES = ".eddyline"


class TopicFolders:
    """The folders under one root, each of them a topic."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def topics(self) -> list[str]:
        """The names of all topics, sorted: folders with a `topic.json` or a partition file in them."""
        if not self.root.is_dir():
            return []
        return sorted(folder.name for folder in self.root.iterdir() if _LEGAL_NAME.fullmatch(folder.name) and _is_topic(folder))

    def partitions(self, topic: str) -> int:
        """How many partitions the topic has: as `topic.json` says, or more where there are files of more.

        Raises UnknownTopicError; ValueError for a `topic.json` that does not say it.
        """
        folder = self.root / topic
        if not _LEGAL_NAME.fullmatch(topic) or not folder.is_dir():
            raise self._unknown(topic)
        declared, found = _declared_partitions(folder), _partition_files(folder)
        if declared is None and not found:
            raise self._unknown(topic)
        return max(declared or 0, *(number + 1 for number in found), 0)

    def create(self, topic: str, partitions: int) -> None:
        """Makes the topic's folder, its `topic.json` and empty partition files; an existing topic stays as it is.

        Raises ValueError for a name that is no legal topic name, and for less than one partition.
        """
        if not _LEGAL_NAME.fullmatch(topic):
            raise ValueError(
                f"'{topic}' cannot name a topic; use 1 to 249 letters (a-z, A-Z), digits, '.', '_' and '-', the first not '.'"
            )
        if partitions < 1:
            raise ValueError(f"topic '{topic}' cannot have {partitions} partitions; it needs 1 or more")
        folder = self.root / topic
        if folder.is_dir() and _is_topic(folder):
            return
        folder.mkdir(parents=True, exist_ok=True)
        self._declare(folder, partitions)
        for number in range(self.partitions(topic)):
            self.partition_file(topic, number).touch()
        sync_folder(folder)
        sync_folder(self.root)

    def partition_file(self, topic: str, partition: int) -> Path:
        """Where the records of a partition lie; the file may not exist yet."""
        return self.root / topic / f"partition-{partition}.jsonl"

    def index_file(self, topic: str, partition: int) -> Path:
        """Where the index of a partition's lines lies."""
        return self.root / topic / _NOTES / f"partition-{partition}.index"

    def journal_file(self, topic: str, partition: int) -> Path:
        """Where the journal of a partition's batches lies."""
        return self.root / topic / _NOTES / f"partition-{partition}.journal"

    def slot_file(self, writer: str, slot: int) -> Path:
        """Where the last batch of a writer's slot is noted."""
        return self.root / _NOTES / f"{quote(writer, safe='')}.slot-{slot}"

    def slot_files(self) -> dict[Path, str]:
        """The notes of slots that there are, each with its writer."""
        found = sorted((self.root / _NOTES).glob("*.slot-*"))
        return {path: unquote(path.name.rpartition(".slot-")[0]) for path in found}

    def _declare(self, folder: Path, partitions: int) -> None:
        """Writes `topic.json` in one step; the first of several writers wins."""
        draft = folder / f".topic.json.{uuid4().hex}"
        draft.write_text(json.dumps({"partitions": partitions}) + "\n", encoding="utf-8")
        try:
            os.link(draft, folder / "topic.json")
        except FileExistsError:
            return
        finally:
            draft.unlink()

    def _unknown(self, topic: str) -> UnknownTopicError:
        known = ", ".join(self.topics()) or "none yet"
        return UnknownTopicError(
            f"topic '{topic}' is unknown in {self.root}, which has: {known}; "
            f"create it with a number of partitions, or make a folder '{topic}' there with a file partition-0.jsonl"
        )


def _is_topic(folder: Path) -> bool:
    return folder.is_dir() and ((folder / "topic.json").exists() or bool(_partition_files(folder)))


def _partition_files(folder: Path) -> list[int]:
    return [int(found[1]) for path in folder.iterdir() if (found := _PARTITION_FILE.fullmatch(path.name))]


def _declared_partitions(folder: Path) -> int | None:
    path = folder / "topic.json"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        partitions = json.loads(text)["partitions"]
    except (ValueError, KeyError, TypeError):
        partitions = None
    if type(partitions) is not int or partitions < 1:
        raise ValueError(f'{path} does not tell the number of partitions; it should read like {{"partitions": 4}}')
    return partitions
