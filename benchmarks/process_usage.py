"""Samples the memory and the processor time of a run: of this process and of all processes that it has started."""

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple, Self

_INTERVAL_S: Final = 0.5
_KILOBYTES: Final = 1 << 10
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class Memory(NamedTuple):
    """Resident megabytes of all Java and of all Python processes at one moment; pages that these share count once."""

    java: int
    python: int


class ProcessUsage:
    """A context manager that samples twice a second. The broker has its own processor time, and its memory does not count.

    `largest_worker` has the most megabytes that one of the other Python processes had.
    """

    def __init__(self) -> None:
        self.samples: list[Memory] = []
        self.largest_worker = 0
        self._seconds: dict[int, tuple[str, float]] = {}
        self._before: dict[str, float] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._sample()
        self._before = self._totals()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._sample()

    @property
    def peak(self) -> Memory:
        """The maximum of each."""
        return _maximum(self.samples)

    @property
    def seconds(self) -> dict[str, float]:
        """The processor time of `java`, `python` and `broker`."""
        return {kind: total - self._before.get(kind, 0.0) for kind, total in self._totals().items()}

    def curve(self, points: int = 10) -> list[Memory]:
        """Return the maximum of each in so many equal parts of the time."""
        size = max(1, -(-len(self.samples) // points))
        return [_maximum(self.samples[start : start + size]) for start in range(0, len(self.samples), size)]

    def _totals(self) -> dict[str, float]:
        totals = {"java": 0.0, "python": 0.0, "broker": 0.0}
        for kind, seconds in self._seconds.values():
            totals[kind] += seconds
        return totals

    def _run(self) -> None:
        while not self._done.wait(_INTERVAL_S):
            self._sample()

    def _sample(self) -> None:
        megabytes = {"java": 0, "python": 0, "broker": 0}
        for pid, (kind, seconds, resident) in _process_tree(os.getpid()).items():
            self._seconds[pid] = kind, seconds
            megabytes[kind] += resident
            if kind == "python" and pid != os.getpid():
                self.largest_worker = max(self.largest_worker, resident)
        self.samples.append(Memory(megabytes["java"], megabytes["python"]))


def _maximum(samples: list[Memory]) -> Memory:
    return Memory(max(sample.java for sample in samples), max(sample.python for sample in samples))


def _process_tree(root: int) -> dict[int, tuple[str, float, int]]:
    """Return kind, processor seconds and resident megabytes of a process and its descendants, by their ids."""
    stats: dict[int, tuple[str, list[str]]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                name, _, rest = (entry / "stat").read_text().partition(" (")[2].rpartition(")")
                stats[int(entry.name)] = name, rest.split()
    tree = {root}
    while children := {pid for pid, (_, fields) in stats.items() if int(fields[1]) in tree and pid not in tree}:
        tree |= children
    found: dict[int, tuple[str, float, int]] = {}
    for pid in tree & stats.keys():
        name, fields = stats[pid]
        with suppress(OSError):
            is_broker = b"kafka.Kafka" in Path(f"/proc/{pid}/cmdline").read_bytes()
            kind = "broker" if is_broker else "java" if name == "java" else "python"
            found[pid] = kind, (int(fields[11]) + int(fields[12])) / _TICKS, _resident_megabytes(pid)
    return found


def _resident_megabytes(pid: int) -> int:
    rest = Path(f"/proc/{pid}/smaps_rollup").read_text().partition("Pss:")[2].split(maxsplit=1)
    return int(rest[0]) // _KILOBYTES if rest else 0
