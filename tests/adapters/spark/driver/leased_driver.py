"""A driver that leases take for one on another machine: `python -m tests.adapters.spark.driver.leased_driver FOLDER MACHINE`.

It adds numbers until it is stopped, from files to files, with a checkpoint that has a short lease. Once it has the lease, it
prints for how many seconds it has waited for it. While there is a file `hold-MACHINE` in the folder, a task waits within its
batch, and creates the file `held-MACHINE`.
"""

import os
import sys
import time
from pathlib import Path
from typing import Final

from eddyline import TopologyBuilder
from eddyline.adapters.spark.driver import lease
from eddyline.application.topology import Topology
from tests.adapters.spark.running import Workspace

LEASE_S: Final = 5.0
_FOLDER, _MACHINE = "LEASED_DRIVER_FOLDER", "LEASED_DRIVER_MACHINE"
"""Environment variables, which workers inherit."""


class _TimedLease(lease.Lease):
    """Prints how long it took."""

    def acquire(self) -> None:
        started = time.monotonic()
        super().acquire()
        sys.stdout.write(f"{time.monotonic() - started}\n")
        sys.stdout.flush()


def add(so_far: int, number: int) -> int:
    """Return the sum, once there is no file for which this machine waits."""
    folder, machine = Path(os.environ[_FOLDER]), os.environ[_MACHINE]
    while (folder / f"hold-{machine}").exists():
        (folder / f"held-{machine}").touch()
        time.sleep(0.05)
    return so_far + number


def sums() -> Topology:
    """Return the topology."""
    builder = TopologyBuilder()
    numbers = builder.stream("numbers", key=str, value=int)
    numbers.group_by_key().aggregate(int, add, store="sums").to_stream().to("sums")
    return builder.build()


def main(folder: Path, machine: str) -> None:
    """Run the flow until a signal ends it."""
    os.environ.update({_FOLDER: str(folder), _MACHINE: machine})
    vars(lease).update(LEASE_S=LEASE_S, Lease=_TimedLease, _machine=lambda: machine)
    Workspace(folder).engine(
        sums(),
        emit="every-update",
        trigger_interval_ms=0,
        checkpoint_dir=(folder / "checkpoint").as_uri(),
        spark_config={"spark.master": "local[1]"},
    ).run()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
