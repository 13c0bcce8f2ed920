"""What a checkpoint belongs to, written beside Spark's own files, and who may use it."""

import json
import os
import secrets
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from eddyline.adapters.spark.checkpoint_files import IDENTITY_FILE, LOCK_FILE
from eddyline.adapters.spark.plan import in_line
from eddyline.application.topology import Topology

_FORMAT: Final = 1
_POLL_S: Final = 0.1


class CheckpointError(RuntimeError):
    """A checkpoint cannot be used by this flow; the message names it, says why and what to do."""


@dataclass(frozen=True)
class Identity:
    """What must stay as it was when the checkpoint was made.

    `groups` is the number of Spark's partitions, `stages` what each stage reads; `writer` is what the sink knows this checkpoint
    by, so that a new checkpoint never takes an old one's batches for its own.
    """

    format: int
    application_id: str
    writer: str
    groups: int
    stages: list[list[str]]


def identify(folder: Path, application_id: str, topology: Topology, groups: int) -> Identity:
    """The identity in the folder, made when there is none. Raises CheckpointError when it does not fit the flow."""
    stages = [
        [*topology.sub_topologies[index].source_topics, *topology.sub_topologies[index].repartition_sources]
        for index in in_line(topology)
    ]
    path = folder / IDENTITY_FILE
    if not path.exists():
        writer = f"{application_id}-{secrets.token_hex(4)}"
        made = Identity(_FORMAT, application_id, writer, groups, stages)
        folder.mkdir(parents=True, exist_ok=True)
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
                f"checkpoint {folder} was made with {name} {old}, this flow has {new}: "
                "take another application id, or reset the flow to begin anew"
            )
    return found


class CheckpointLock:
    """A checkpoint that is this process's own until it is released, or ends."""

    def __init__(self, folder: Path, channel: Any) -> None:
        self._folder = folder
        self._channel = channel

    def release(self) -> None:
        """Lets another run have the checkpoint."""
        self._channel.close()
        _HELD.discard(self._folder)


_HELD: Final[set[Path]] = set()
"""The checkpoints of this process: opening a lock file once more, and closing it, would give up the lock that is held."""


def lock(jvm: Any, folder: Path, wait_s: float) -> CheckpointLock:
    """Locks the checkpoint for as long as this Java process lives, so that a killed driver's one has ended before.

    The folder is made where it is missing. Raises CheckpointError when another run holds it for longer than `wait_s`, at once
    when that is one of this process.
    """
    folder = folder.absolute()
    in_use = CheckpointError(f"checkpoint {folder} is in use by another run: stop that one first")
    if folder in _HELD:
        raise in_use
    folder.mkdir(parents=True, exist_ok=True)
    channel = jvm.java.io.RandomAccessFile(str(folder / LOCK_FILE), "rw").getChannel()
    deadline = time.monotonic() + wait_s
    while channel.tryLock() is None:
        if time.monotonic() > deadline:
            channel.close()
            raise in_use
        time.sleep(_POLL_S)
    _HELD.add(folder)
    return CheckpointLock(folder, channel)
