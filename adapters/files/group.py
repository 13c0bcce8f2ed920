"""A consumer group on files: its committed offsets, and which process has its partitions."""

import fcntl
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from eddyline.adapters.files.durable import sync_folder, write_file
from eddyline.adapters.files.event_log import FileEventLog
from eddyline.application.ports.event_log import TopicPartition


class FileGroup:
    """A member's view of a group: the member that has the lock of the group has all partitions, all others stand by.

    Args:
        folder: The folder of the groups.
        name: The name of the group.
        root: The folder of the topics.
    """

    def __init__(self, folder: Path, name: str, root: Path) -> None:
        self._offsets, self._lock = (folder / f"{quote(name, safe='')}.{suffix}" for suffix in ("json", "lock"))
        self._log = FileEventLog(root)
        self._topics: Sequence[str] = ()
        self._fd: int | None = None
        self._held: set[TopicPartition] = set()

    def join(self, member: object, topics: Sequence[str]) -> None:
        """Stand by until the lock is free."""
        del member
        self._topics = topics

    def target(self, member: object) -> set[TopicPartition]:
        """Return all partitions if this member has the lock, or gets it now; else none."""
        del member
        if self._fd is None and not self._try_lock():
            return set()
        return {TopicPartition(topic, number) for topic in self._topics for number in range(self._log.partitions(topic))}

    def take(self, member: object) -> set[TopicPartition]:
        """Return the partitions that are new."""
        found = self.target(member) - self._held
        self._held |= found
        return found

    def release(self, member: object, partitions: set[TopicPartition]) -> None:
        """Forget partitions."""
        del member
        self._held -= partitions

    def leave(self, member: object) -> None:
        """Release the lock."""
        del member
        self._held.clear()
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def committed(self) -> dict[TopicPartition, int]:
        """Return the committed offsets."""
        with suppress(FileNotFoundError):
            found = json.loads(self._offsets.read_bytes())
            return {TopicPartition(topic, partition): offset for topic, partition, offset in found}
        return {}

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Replace the file with the offsets, and sync it.

        Raises:
            PermissionError: another process has the partitions of the group.
        """
        if self._fd is None and not self._try_lock():
            raise PermissionError(f"group file '{self._lock}' is in use by another process, which has all partitions")
        merged = sorted({**self.committed(), **offsets}.items())
        new = self._offsets.with_suffix(".new")
        with suppress(FileNotFoundError):
            new.unlink()
        write_file(new, json.dumps([[*partition, offset] for partition, offset in merged]).encode())
        new.replace(self._offsets)
        sync_folder(self._offsets.parent)

    def _try_lock(self) -> bool:
        self._lock.parent.mkdir(0o700, parents=True, exist_ok=True)
        fd = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self._fd = fd
        return True
