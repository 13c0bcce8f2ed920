"""The identity and the lock of a checkpoint, stored beside Spark's own files."""

import json
import os
import secrets
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from eddyline.adapters.spark.driver.checkpoint_files import IDENTITY_FILE, LOCK_FILE
from eddyline.adapters.spark.plan import stage_line
from eddyline.application.topology import Topology

_FORMAT: Final = 1
_POLL_S: Final = 0.1


class CheckpointError(RuntimeError):
    """A checkpoint cannot be used by this flow; the message names it, the reason and the fix."""


@dataclass(frozen=True)
class Identity:
    """What must not change while a checkpoint is in use.

    `groups` is the number of Spark partitions, `stages` has the topics that each stage reads. `writer` is the writer id of the
    checkpoint in the event sink; it is random, so that the first batches of a new checkpoint are never taken for repeated ones.
    """

    format: int
    application_id: str
    writer: str
    groups: int
    stages: list[list[str]]


def identify(folder: Path, application_id: str, topology: Topology, groups: int) -> Identity:
    """Return the identity of the checkpoint in `folder`; create it if the checkpoint is new.

    Raises:
        CheckpointError: the checkpoint belongs to another application or topology, or has another format.
    """
    stages = [
        [*topology.sub_topologies[index].source_topics, *topology.sub_topologies[index].repartition_sources]
        for index in stage_line(topology)
    ]
    path = folder / IDENTITY_FILE
    if not path.exists():
        writer = f"{application_id}-{secrets.token_hex(4)}"
        made = Identity(_FORMAT, application_id, writer, groups, stages)
        folder.mkdir(0o700, parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_text(json.dumps(asdict(made)))
        with part.open("rb") as handle:
            os.fsync(handle.fileno())
        part.replace(path)
        return made
    found = Identity(**json.loads(path.read_text()))
    for name, old, new in (
        ("application id", found.application_id, application_id),
        ("format", found.format, _FORMAT),
        ("sub-topologies", found.stages, stages),
    ):
        if old != new:
            raise CheckpointError(
                f"checkpoint '{folder}' was created with {name} {old!r}, but this flow has {new!r}; "
                "choose another application.id, or reset the flow to reprocess its topics from the beginning"
            )
    return found


class CheckpointLock:
    """The lock of a checkpoint, held until it is released or this process ends."""

    def __init__(self, folder: Path, channel: Any) -> None:
        self._folder = folder
        self._channel = channel

    def release(self) -> None:
        """Release the lock, so that another run can use the checkpoint."""
        self._channel.close()
        _LOCKED.discard(self._folder)


_LOCKED: Final[set[Path]] = set()
"""The checkpoints that this process has locked. Opening and closing their lock files again would release the locks."""


def lock(jvm: Any, folder: Path, timeout_s: float) -> CheckpointLock:
    """Lock a checkpoint on behalf of the Java process; the folder is created if it does not exist.

    The Java process may outlive a killed driver; as long as it runs, the checkpoint stays locked.

    Raises:
        CheckpointError: another run holds the lock for longer than `timeout_s`, or a run in this process holds it.
    """
    folder = folder.absolute()
    in_use = CheckpointError(f"checkpoint '{folder}' is in use by another run; stop that run first")
    if folder in _LOCKED:
        raise in_use
    folder.mkdir(0o700, parents=True, exist_ok=True)
    channel = jvm.java.io.RandomAccessFile(str(folder / LOCK_FILE), "rw").getChannel()
    deadline = time.monotonic() + timeout_s
    while channel.tryLock() is None:
        if time.monotonic() > deadline:
            channel.close()
            raise in_use
        time.sleep(_POLL_S)
    _LOCKED.add(folder)
    return CheckpointLock(folder, channel)
