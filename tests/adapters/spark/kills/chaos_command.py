"""The command line of the long tests that kill processes: brokers in a folder, which is kept if the test has failed."""

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from eddyline.adapters.services.artifacts import Artifacts
from tests.adapters.spark.kills.killer import ROOT


class Service(Protocol):
    """A broker, or several."""

    def start(self) -> None: ...
    def kill(self) -> None: ...


def chaos_command(
    description: str | None,
    prefix: str,
    run: Callable[..., bool],
    create: Callable[[Artifacts, Path], Service],
    **options: Any,
) -> None:
    """Run a long test and exit with 0 if it has passed, else with 1.

    Args:
        description: What `--help` says.
        prefix: The beginning of the name of the folder.
        run: Runs the test, given running brokers and the folder, and by name the options and the seed; returns whether it passed.
        create: Creates the brokers, whose data is in a folder.
        options: The default values of the options, which are numbers; `seed` and `folder` are options of all.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in options.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    folder = given.folder or Path(tempfile.mkdtemp(prefix=prefix))
    folder.mkdir(exist_ok=True)
    sys.stdout.write(f"seed {given.seed}, folder {folder}\n")
    broker = create(Artifacts(ROOT / ".services" / "parts"), folder / "broker")
    broker.start()
    try:
        passed = run(broker, folder, seed=given.seed, **{name: getattr(given, name) for name in options})
    finally:
        broker.kill()
    if passed:
        shutil.rmtree(folder)
    sys.exit(0 if passed else 1)
