"""Runs a program as a child process and measures it from outside."""

import os
import signal
import subprocess
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Final

_INTERVAL_S: Final = 0.2
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass
class Run:
    """What was measured of a run; times are in seconds since the epoch.

    Attributes:
        started: When the process was started.
        ended: When it had ended.
        exit_code: Its exit code; None if it was killed at the time limit.
        marks: When it reached its marks.
        done: The number of records that were done at marks that say so.
        processor: Samples of the processor seconds that it and its descendants have used, by time.
    """

    started: float
    ended: float = 0.0
    exit_code: int | None = None
    marks: dict[str, float] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    processor: list[tuple[float, float]] = field(default_factory=list)

    def processor_seconds(self, begin: float, end: float) -> float:
        """Return the processor seconds used between two times."""
        return self._used_until(end) - self._used_until(begin)

    def _used_until(self, at: float) -> float:
        found = bisect_left(self.processor, (at, 0.0))
        return self.processor[min(found, len(self.processor) - 1)][1] if self.processor else 0.0


def run(command: Sequence[str | Path], environment: Mapping[str, str], log: Path, limit_s: float) -> Run:
    """Run a program to its end, or kill it at the time limit; its output is written to `log`, which has its marks."""
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - the programs of the suite
            command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **environment}, start_new_session=True
        )
        measured = Run(time.time())
        ended = Event()
        sampling = Thread(target=_sample, args=(process.pid, measured, ended), daemon=True)
        sampling.start()
        try:
            measured.exit_code = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            kill_group(process)
        measured.ended = time.time()
        ended.set()
        sampling.join()
    found = marks_in(log)
    measured.marks = {name: at for name, (at, _) in found.items()}
    measured.done = {name: done for name, (_, done) in found.items() if done}
    return measured


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a session, and what it has started in it."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def memory_of(pid: int) -> int:
    """Return the resident megabytes of a process."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    return int(fields["VmRSS"].split()[0]) // 1_024


def marks_in(log: Path) -> dict[str, tuple[float, int]]:
    """Return the times of the marks in the output of a program, and the records done then or 0, by name."""
    found = {}
    for line in log.read_text(errors="replace").splitlines():
        if "MARK " in line:
            name, at, *done = line.split("MARK ", 1)[1].split()[:3]
            found[name] = float(at), int(done[0]) if done else 0
    return found


def processor_seconds(root: int, known: dict[int, float]) -> float:
    """Return the processor seconds of a process and its descendants; `known` keeps those of processes that have ended."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)] = int(fields[1])
                used[int(entry.name)] = (int(fields[11]) + int(fields[12])) / _TICKS
    tree = {root, *known}
    while children := {process for process, parent in parents.items() if parent in tree and process not in tree}:
        tree |= children
    for process in tree:
        known[process] = max(used.get(process, 0.0), known.get(process, 0.0))
    return sum(known.values())


def _sample(root: int, measured: Run, ended: Event) -> None:
    known: dict[int, float] = {}
    while True:
        measured.processor.append((time.time(), processor_seconds(root, known)))
        if ended.wait(_INTERVAL_S):
            return
