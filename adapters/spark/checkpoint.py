"""What a checkpoint belongs to, written beside Spark's own files, and who may use it."""

import json
import os
import secrets
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from py4j.protocol import Py4JJavaError

from adapters.spark.checkpoint_files import IDENTITY_FILE, LOCK_FILE
from adapters.spark.plan import in_line
from application.topology.topology import Topology

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


def lock(jvm: Any, folder: Path, wait_s: float) -> Any:
    """Locks the checkpoint for as long as this Java process lives, so that a killed driver's one has ended before.

    Raises CheckpointError when another process holds it for longer than `wait_s`.
    """
    channel = jvm.java.io.RandomAccessFile(str(folder / LOCK_FILE), "rw").getChannel()
    deadline = time.monotonic() + wait_s
    held = None
    try:
        while (held := channel.tryLock()) is None and time.monotonic() < deadline:
            time.sleep(_POLL_S)
    except Py4JJavaError as error:
        if "OverlappingFileLockException" not in str(error.java_exception):
            raise
    if held is None:
        channel.close()
        raise CheckpointError(f"checkpoint {folder} is in use by another run: stop that one first")
    return held
