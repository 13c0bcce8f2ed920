"""Runs all benchmarks one after the other, in about half an hour without peers: `python -m benchmarks.everything`.

    python -m benchmarks.everything [--peers] [--only STEP ...]

Each one is a process with its output shown, and kept in `build/bench/steps`. With `--peers`, those that can measure other systems
do so. At the end come the minutes of each and the goals with their ratios, also in `build/bench/summary.md`. A step that has
failed is named there; the others still run, but the exit code is 1.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.goals import goals_in

ROOT: Final = Path(__file__).resolve().parents[1]
OUTPUT: Final = ROOT / "build" / "bench"
_SECONDS_PER_MINUTE: Final = 60


@dataclass(frozen=True)
class Step:
    """A benchmark.

    Attributes:
        name: The name that `--only` takes.
        module: The module that is run.
        arguments: Its arguments, with sizes such that all steps together take half an hour.
        peers: Whether it takes `--peers`.
    """

    name: str
    module: str
    arguments: tuple[str, ...] = ()
    peers: bool = False

    def command(self, *, peers: bool) -> list[str]:
        """Return the command that runs it."""
        return [sys.executable, "-m", self.module, *self.arguments, *(["--peers"] if peers and self.peers else [])]


class Outcome(NamedTuple):
    """How a step has ended, after how many minutes, and the goals that it has printed."""

    step: str
    exit_code: int
    minutes: float
    goals: list[str]


STEPS: Final = (
    Step("suite", "benchmarks.suite", peers=True),
    Step("nexmark", "benchmarks.nexmark", ("--events", "2000000"), peers=True),
    Step("state", "benchmarks.state_size", ("--keys", "100000", "1000000")),
    Step("growth", "benchmarks.growth", ("--keys", "100", "10000", "100000", "--runs", "1"), peers=True),
    Step("memory", "benchmarks.memory_engine", ("--records", "200000"), peers=True),
    Step("first-result", "benchmarks.first_result", ("--rounds", "3", "--traced", "1")),
)


def run(step: Step, folder: Path, *, peers: bool) -> Outcome:
    """Run a step, show its output and keep it in a folder."""
    command, lines, began = step.command(peers=peers), list[str](), time.monotonic()
    print(f"\n=== {step.name}: python {' '.join(command[1:])}\n", flush=True)
    with (
        (folder / f"{step.name}.log").open("w") as log,
        subprocess.Popen(  # noqa: S603 - a module of the benchmarks
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        ) as process,
    ):
        for line in process.stdout or ():
            print(line, end="", flush=True)
            log.write(line)
            lines.append(line)
    return Outcome(step.name, process.returncode, (time.monotonic() - began) / _SECONDS_PER_MINUTE, goals_in(lines))


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return the minutes of all steps, their goals, and which of them have failed, as Markdown."""
    rows = [
        f"| {found.step} | {found.minutes:.1f} | {'ended' if found.exit_code == 0 else f'failed ({found.exit_code})'} |"
        for found in outcomes
    ]
    lines = ["| step | minutes | |", "|---|---:|---|", *rows, f"| all | {sum(found.minutes for found in outcomes):.1f} | |", ""]
    lines += [f"- {found.step}: {goal}" for found in outcomes for goal in found.goals]
    failed = [found.step for found in outcomes if found.exit_code != 0]
    if failed:
        lines += ["", f"error: failed: {', '.join(failed)}"]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the steps that the command line chooses, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="measure other systems, too")
    names = [step.name for step in STEPS]
    parser.add_argument("--only", action="append", choices=names, help="run only these steps [default: all]")
    options = parser.parse_args(arguments)
    folder = OUTPUT / "steps"
    folder.mkdir(parents=True, exist_ok=True)
    print(f"load average at the start: {os.getloadavg()[0]:.1f}", flush=True)
    outcomes = [run(step, folder, peers=options.peers) for step in STEPS if step.name in (options.only or names)]
    found = summary(outcomes)
    (OUTPUT / "summary.md").write_text(found)
    print(f"\n{found}", end="", flush=True)
    return int(any(outcome.exit_code != 0 for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
