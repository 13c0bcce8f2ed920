"""The modules of a flow that runs on a cluster, in which a process can be made to wait.

A process that finds a file renames it to its own number, and waits until it is deleted.
"""

from pathlib import Path
from typing import Final

from tests.adapters.kafka.conftest import eventually

_HOLDS: Final = """
import os
import time
from contextlib import suppress
from pathlib import Path


def hold(file: str, number: int = 0) -> None:
    next_one = Path(file)
    if not next_one.exists():
        return
    with suppress(FileNotFoundError):  # another process was faster
        if number < int(next_one.read_text()):
            return
        holding = next_one.rename(next_one.with_name(str(os.getpid())))
        while holding.exists():
            time.sleep(0.05)
"""

_RULES: Final = """
import eddyline
from cluster_holds import hold


def total(so_far: int, number: int) -> int:
    if "eddyline_package" not in eddyline.__file__:
        raise RuntimeError(f"executors use {{eddyline.__file__}}")
    hold({total!r}, number)
    return so_far + number
"""

_FLOWS: Final = """
from cluster_holds import hold
from cluster_rules import total
from eddyline import Flow, TopologyBuilder
from eddyline.adapters.kafka.sink.transactional_writer import TransactionalWriter

call = TransactionalWriter._call


def _call(writer, action, function, deadline):
    if action == "commit the transaction":
        hold({commit!r})
    return call(writer, action, function, deadline)


TransactionalWriter._call = _call


def of_key(key: str, number: int) -> str:
    return key


def totals(builder: TopologyBuilder, *, prefix: str = "") -> None:
    numbers = builder.stream(f"{{prefix}}numbers", key=str, value=int)
    numbers.group_by_key().count(store="counts").to_stream().to(f"{{prefix}}counts")
    sums = numbers.group_by(of_key, key=str, name="by-key").aggregate(int, total, store="totals")
    sums.to_stream().to(f"{{prefix}}totals")


FLOWS = (Flow("totals", "Adds and counts.", totals),)
"""


def write_modules(folder: Path, commit: Path, total: Path) -> None:
    """Write the modules; processes wait before they commit a transaction if they find `commit`, and for a number at `total`."""
    (folder / "cluster_holds.py").write_text(_HOLDS)
    (folder / "cluster_rules.py").write_text(_RULES.format(total=str(total)))
    (folder / "cluster_flows.py").write_text(_FLOWS.format(commit=str(commit)))


def let_wait(next_one: Path, number: int) -> None:
    """Let one process wait at this number or a later one."""
    whole = next_one.with_suffix(".new")
    whole.write_text(str(number))
    whole.rename(next_one)


def holding_at(next_one: Path, timeout_s: float) -> Path:
    """Wait until a process has taken a file as a reason to wait, and return the file with its number."""
    eventually(lambda: not next_one.exists(), timeout_s)
    (holding,) = next_one.parent.iterdir()
    return holding
