"""Runs peers that can do without a broker on trades in memory, each in a process and an environment of its own."""

import json
import os
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.peers import environments

PEERS: Final = ("bytewax", "pathway")
"""Quix Streams is not among them: its stateful windows need a broker."""


class Measured(NamedTuple):
    """The processor time of a run in seconds, the number of results, and the sum of their counts of trades."""

    seconds: float
    results: int
    counted: int


def write_trades(trades: Iterable[tuple[str, float, int]], file: Path) -> None:
    """Write trades for peers: ticker, price, and time in ms since the epoch."""
    file.write_text(json.dumps(list(trades)))


def run(peer: str, trades: Path) -> Measured:
    """Run a peer over written trades, in one thread."""
    program = environments.HERE / f"{peer}_memory.py"
    done = subprocess.run(  # noqa: S603 - the programs of this folder
        [environments.python(peer), program, trades],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "PATHWAY_THREADS": "1"},
    )
    return Measured(*json.loads(done.stdout.splitlines()[-1]))
