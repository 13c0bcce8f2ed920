"""The lock of a checkpoint: a lock of its directory on a local disk, a lease in a file system that other machines can reach."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Protocol

from eddyline.adapters.spark.driver.checkpoint_files import LOCK_FILE
from eddyline.adapters.spark.driver.hadoop_path import HadoopPath, Location
from eddyline.adapters.spark.driver.lease import Lease, LeaseLostError, lease_of
from eddyline.adapters.spark.driver.preflight import is_unlocked, record_owner, running_owner

_POLL_S: Final = 0.1
_LOCKED: Final[set[Location]] = set()
"""The checkpoints that this process has locked. Opening and closing their lock files again would release the locks."""


class CheckpointError(RuntimeError):
    """A checkpoint cannot be used by this flow; the message names it, the reason and the fix."""


class CheckpointLock(Protocol):
    """The lock of a checkpoint, held until it is released or this process ends."""

    def check(self) -> None:
        """Make sure, before results are written, that this run still has the lock. Raises LeaseLostError."""

    def release(self) -> None:
        """Release the lock, so that another run can use the checkpoint."""


class _FileLock:
    """A lock of the operating system, which nobody else can take as long as Java runs."""

    def __init__(self, folder: Path, channel: Any) -> None:
        self._folder = folder
        self._channel = channel

    def check(self) -> None:
        """Do nothing."""

    def release(self) -> None:
        self._channel.close()
        _LOCKED.discard(self._folder)


class _LeaseLock:
    """A lease, and a mark that this process has it."""

    def __init__(self, folder: HadoopPath, lease: Lease) -> None:
        self._folder, self._lease = folder, lease
        self.check: Callable[[], None] = lease.check

    def release(self) -> None:
        self._lease.release()
        _LOCKED.discard(self._folder)


def check_unlocked(folder: Location, timeout_s: float) -> None:
    """Make sure that no run uses the checkpoint; whether another machine does is not known before the lease is taken.

    Raises:
        CheckpointError: another run uses it.
    """
    if folder.absolute() in _LOCKED or (isinstance(folder, Path) and not is_unlocked(folder, timeout_s)):
        raise _in_use(folder.absolute())


def lock(jvm: Any, folder: Location, timeout_s: float) -> CheckpointLock:
    """Lock a checkpoint; the folder is created if it does not exist.

    A local directory is locked on behalf of the Java process, which may outlive a killed driver; as long as it runs, the
    checkpoint stays locked.

    Raises:
        CheckpointError: another run holds the lock for longer than `timeout_s`, or a run in this process holds it.
    """
    folder = folder.absolute()
    if folder in _LOCKED:
        raise _in_use(folder)
    folder.mkdir(0o700, parents=True, exist_ok=True)
    if isinstance(folder, HadoopPath):
        return _leased(folder)
    channel = jvm.java.io.RandomAccessFile(str(folder / LOCK_FILE), "rw").getChannel()
    deadline = time.monotonic() + timeout_s
    while channel.tryLock() is None:
        if running_owner(folder) is not None or time.monotonic() > deadline:
            channel.close()
            raise _in_use(folder)
        time.sleep(_POLL_S)
    record_owner(folder)
    _LOCKED.add(folder)
    return _FileLock(folder, channel)


def _leased(folder: HadoopPath) -> CheckpointLock:
    try:
        lease = lease_of(folder)
    except LeaseLostError as held:
        raise CheckpointError(str(held)) from held
    _LOCKED.add(folder)
    return _LeaseLock(folder, lease)


def _in_use(folder: Location) -> CheckpointError:
    owner = running_owner(folder) if isinstance(folder, Path) else None
    run = "another run" if owner is None else f"another run, process {owner}"
    return CheckpointError(f"checkpoint '{folder}' is in use by {run}; stop that run first")
