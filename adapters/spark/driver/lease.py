"""The lease of a checkpoint that several machines can reach: the driver that has it renews it, and loses it when it is dead.

The lease is the newest of the numbered files in a folder. Only one driver can create a number, which is what decides. Its owner
writes the file again and again; another driver watches it, and creates the next number when the file has not changed for the
duration of the lease. Each driver measures time with its own monotonic clock, so that clocks need not agree:

- The owner counts from before it writes, the other one from after it has read, so the owner stops first.
- An owner that was late, because it was suspended for example, does not renew its number but has to create the next one.
"""

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from eddyline.adapters.spark.driver.checkpoint_files import LEASE_FOLDER

LEASE_S: Final = 30.0
"""How long an owner may be silent before another driver takes over."""
_RENEWALS: Final = 3
_POLL_S: Final = 0.5


class LeaseLostError(RuntimeError):
    """This driver no longer has the lease of its checkpoint, or cannot have it; the message names the owner and the fix."""


class LeaseFolder(Protocol):
    """What a lease needs of a path: `create_text` creates a file that does not exist, for one of all callers."""

    @property
    def name(self) -> str: ...
    def __truediv__(self, name: str) -> "LeaseFolder": ...
    def glob(self, pattern: str, /) -> Iterable["LeaseFolder"]: ...
    def read_text(self) -> str: ...
    def write_text(self, text: str, /) -> None: ...
    def create_text(self, text: str, /) -> bool: ...
    def remove(self) -> None: ...


class _Record(NamedTuple):
    """The content of a lease; `machine` and `process` are None once it is released."""

    owner: str
    machine: str | None
    process: int | None
    renewals: int
    lease_s: float

    @property
    def is_over(self) -> bool:
        """Whether its owner has released it, or is known to be dead: it ran on this machine."""
        return self.process is None or (self.machine is not None and self.machine == _machine() and not _runs(self.process))


class Lease:
    """The lease of the checkpoint in `folder`; a thread renews it until it is released.

    Args:
        folder: The checkpoint.
        lease_s: The duration in seconds.
        clock: Returns the time in seconds, also while the machine was suspended.
        sleep: Waits between looks at the lease of another driver.
    """

    def __init__(
        self,
        folder: LeaseFolder,
        lease_s: float = LEASE_S,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._checkpoint, self._folder = folder, folder / LEASE_FOLDER
        self._clock, self._sleep = clock or _now, sleep
        self._own = _Record(f"{socket.gethostname()}, process {os.getpid()}", _machine(), os.getpid(), 0, lease_s)
        self._number, self._valid_until, self._lost = 0, 0.0, False
        self._lock, self._released = threading.Lock(), threading.Event()

    def acquire(self) -> None:
        """Take the lease, as soon as its owner has released it or is dead.

        Raises:
            LeaseLostError: its owner is alive.
        """
        seen: tuple[int, _Record | None] | None = None
        since = 0.0
        while True:
            number, record = self._newest()
            if record is None or record.is_over or (seen == (number, record) and self._clock() - since >= record.lease_s):
                if self._create(number + 1):
                    return
                seen = None  # another driver was faster
                continue
            if seen is not None and seen[0] == number and seen[1] != record:
                raise self._held_by(record)
            if seen != (number, record):
                seen, since = (number, record), self._clock()
            self._sleep(_POLL_S)

    def renew_in_background(self) -> None:
        """Start the thread that renews the lease."""
        threading.Thread(target=self._keep, name="checkpoint-lease", daemon=True).start()

    def renew(self) -> None:
        """Renew the lease once, if it has not expired."""
        with self._lock:
            started = self._clock()
            if started >= self._valid_until or self._lost:
                return
            number, _ = self._newest()
            self._lost = number != self._number
            if self._lost:
                return
            self._own = self._own._replace(renewals=self._own.renewals + 1)
            (self._folder / str(number)).write_text(_dumped(self._own))
            if self._clock() < self._valid_until:  # else another driver may have taken over before it could see this
                self._valid_until = started + self._own.lease_s

    def check(self) -> None:
        """Make sure that this driver has the lease; one that has expired is taken again if no other driver has done so.

        Raises:
            LeaseLostError: it has not, and must not write anything any more.
        """
        with self._lock:
            if not self._lost and self._clock() < self._valid_until:
                return
            number, record = self._newest()
            if not self._lost and number == self._number and self._create(number + 1):
                return
            self._lost = True
            raise self._held_by(record or self._own)

    def release(self) -> None:
        """Let other drivers take the lease at once."""
        self._released.set()
        with self._lock, suppress(Exception):  # if the file system cannot be reached, the lease expires
            if self._newest()[0] == self._number and not self._lost:
                (self._folder / str(self._number)).write_text(_dumped(self._own._replace(machine=None, process=None)))
            self._lost = True

    def _keep(self) -> None:
        while not self._released.wait(self._own.lease_s / _RENEWALS) and not self._lost:
            with suppress(Exception):  # a lease that cannot be renewed expires, which `check` reports
                self.renew()

    def _newest(self) -> tuple[int, _Record | None]:
        """Return the number and the content of the lease; 0 and None if there is none."""
        numbers = sorted(int(path.name) for path in self._folder.glob("*") if path.name.isdigit())
        for number in reversed(numbers):
            with suppress(FileNotFoundError):  # removed meanwhile, since there is a newer one
                return number, _Record(**json.loads((self._folder / str(number)).read_text()))
        return 0, None

    def _create(self, number: int) -> bool:
        started = self._clock()
        if not (self._folder / str(number)).create_text(_dumped(self._own)):
            return False
        self._number, self._valid_until = number, started + self._own.lease_s
        for path in self._folder.glob("*"):
            if path.name.isdigit() and int(path.name) < number:
                path.remove()
        return True

    def _held_by(self, record: _Record) -> LeaseLostError:
        return LeaseLostError(
            f"checkpoint '{self._checkpoint}' is in use by another run, on {record.owner}; stop that run first; if it is dead, "
            f"start again after {record.lease_s:.0f} s"
        )


def _dumped(record: _Record) -> str:
    return json.dumps(record._asdict())


def _now() -> float:
    """Return the seconds since the machine has started, those in which it was suspended included."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _machine() -> str | None:
    """Return what is the same for processes that see each other's ids, None if that is not known."""
    try:
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()}-{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return None


def _runs(process: int) -> bool:
    if process == os.getpid():
        return False  # this process has no lease when it asks
    try:
        os.kill(process, 0)
    except PermissionError:
        return True  # of another user
    except OSError:
        return False
    return True


def lease_of(folder: Any) -> Lease:
    """Return the lease of a checkpoint, acquired and renewed until it is released. Raises LeaseLostError."""
    lease = Lease(folder, LEASE_S)
    lease.acquire()
    lease.renew_in_background()
    return lease
