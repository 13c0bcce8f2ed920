"""The processor time of each thread of a process and its descendants."""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Final, NamedTuple

from benchmarks.suite.measuring import processor_seconds

_INTERVAL_S: Final = 0.2
_NANOSECONDS: Final = 1_000_000_000


class ThreadTime(NamedTuple):
    """The name of a thread, whether its process is one of Java, and the processor seconds that it has used."""

    name: str
    java: bool
    seconds: float


class ThreadTimes:
    """Samples the threads of a process and its descendants.

    `by_processes` is the time of the same processes as the system counts it for each process, to compare: it includes threads
    that began and ended between two samples.
    """

    def __init__(self, root: int) -> None:
        self._root, self._known = root, dict[int, float]()
        self._found = dict[int, ThreadTime]()
        self._before: Mapping[int, ThreadTime] = {}
        self._processes_before = self.by_processes = 0.0
        self.began = self.ended = 0.0

    def begin(self) -> None:
        """Count from now on."""
        self._sample()
        self._before, self.began = dict(self._found), time.time()
        self._processes_before = processor_seconds(self._root, self._known)

    def watch(self, done: Event) -> None:
        """Sample until something is done."""
        while not done.wait(_INTERVAL_S):
            self._sample()

    def end(self) -> None:
        """Count until now."""
        self._sample()
        self.by_processes, self.ended = processor_seconds(self._root, self._known) - self._processes_before, time.time()

    def used(self) -> dict[int, ThreadTime]:
        """Return the processor time of each thread by its id."""
        return {
            number: found._replace(seconds=found.seconds - (self._before[number].seconds if number in self._before else 0.0))
            for number, found in self._found.items()
        }

    def _sample(self) -> None:
        processor_seconds(self._root, self._known)
        for process in self._known:
            with suppress(OSError):
                java = (Path(f"/proc/{process}") / "comm").read_text().strip() == "java"
                for thread in Path(f"/proc/{process}/task").iterdir():
                    with suppress(OSError):
                        used = int((thread / "schedstat").read_text().split()[0]) / _NANOSECONDS
                        self._found[int(thread.name)] = ThreadTime((thread / "comm").read_text().strip(), java, used)
