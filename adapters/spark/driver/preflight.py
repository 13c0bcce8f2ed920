"""Checks that need no Java, made before it is started: a run that cannot start says so within a second."""

import fcntl
import os
import time
from pathlib import Path
from typing import Any, Final

from eddyline.adapters.spark.driver.checkpoint_files import LOCK_FILE
from eddyline.adapters.spark.failures import EngineError
from eddyline.adapters.spark.worker.pickling import pickled
from eddyline.application.topology import Topology

_POLL_S: Final = 0.1


def record_owner(folder: Path) -> None:
    """Write the id of this process into the lock file of a checkpoint that it has locked."""
    (folder / LOCK_FILE).write_text(str(os.getpid()), encoding="ascii")


def running_owner(folder: Path) -> int | None:
    """Return the id of the process that locked a checkpoint last, None if it has ended or is this one."""
    try:
        owner = int((folder / LOCK_FILE).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    return owner if owner != os.getpid() and _is_running(owner) else None


def is_unlocked(folder: Path, timeout_s: float) -> bool:
    """Return whether a checkpoint can be locked.

    A lock whose owner is running is not waited for. The Java process of an owner that was killed needs a moment to end: it is
    waited for.
    """
    deadline = time.monotonic() + timeout_s
    while _is_locked(folder):
        if running_owner(folder) is not None or time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)
    return True


def check_picklable(topology: Topology, others: Any) -> None:
    """Make sure that the workers of Spark can receive a topology and what comes with it.

    Raises:
        EngineError: something in it cannot be pickled; the message has the operator.
    """
    try:
        pickled((topology, others))
    except Exception as error:
        raise EngineError(
            f"{_unpicklable(topology)} cannot be sent to the workers of Spark: {error}; create such objects in the function that "
            "uses them, or in the init of a processor, not in the module or the definition of the flow"
        ) from error


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except PermissionError:
        return True  # of another user
    except (OSError, OverflowError):
        return False
    return True


def _unpicklable(topology: Topology) -> str:
    for node in topology.nodes:
        try:
            pickled(node)
        except Exception:  # noqa: BLE001 - whatever an object raises when it is pickled
            return f"operator '{node.name}'"
    return "the flow"


def _is_locked(folder: Path) -> bool:
    """Return whether another process has locked the checkpoint; file locks of Java and of Python exclude each other."""
    path = folder / LOCK_FILE
    if not path.exists():
        return False
    handle = os.open(path, os.O_RDWR)
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return True
    finally:
        os.close(handle)
    return False
