"""The local engine serves readers for 20 minutes, or for as many as SOAK_MINUTES says, without growing."""

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Final

import httpx
import pytest

from tests.adapters.cli.test_run_command import write_lines
from tests.adapters.cli.test_run_serve import count_of, start
from tests.fixtures.commands import Commands, Resources
from tests.fixtures.progress import tell_after
from tests.fixtures.server_sent_events import parsed

_MINUTES: Final = float(os.environ.get("SOAK_MINUTES", "20"))
_LINES_PER_S: Final = 395
_WORDS: Final = [f"word{number}" for number in range(500)]
_STORE: Final = "stores/word-count-store"
_LEAK: Final = 80 * 1_048_576 / (16 * 60)
"""Bytes per second of a leak that has to be found; half of it over the measured time is too much."""
_NOISE: Final = 16 * 1_048_576
_SPARE: Final = 4
"""Threads and open files of requests that may be under way."""


def grown(samples: Sequence[Resources]) -> list[str]:
    """Return what has grown from the second third of a run to its end; samples are a second apart."""
    part = max(1, len(samples) // 10)
    begin = len(samples) // 3
    early, late = samples[begin : begin + part], samples[-part:]
    limits = {"memory": max(_NOISE, _LEAK / 2 * (len(samples) - begin - part)), "threads": _SPARE, "files": _SPARE}
    found = {name: median(getattr(one, name) for one in late) - median(getattr(one, name) for one in early) for name in limits}
    return [f"{name}: {found[name]:,.0f} more, at most {limit:,.0f}" for name, limit in limits.items() if found[name] > limit]


@pytest.mark.parametrize(
    ("leak", "threads", "files", "names"),
    [(0.0, 0.0, 0.0, []), (_LEAK, 0.0, 0.0, ["memory"]), (0.0, 0.01, 0.0, ["threads"]), (0.0, 0.0, 0.01, ["files"])],
)
def test_what_grows_slowly_in_20_minutes_is_found(leak: float, threads: float, files: float, names: list[str]) -> None:
    samples = [Resources(int(2e8 + leak * at), int(30 + threads * at), int(50 + files * at)) for at in range(20 * 60)]
    assert [problem.partition(":")[0] for problem in grown(samples)] == names


class _Readers:
    """Clients that read until they are stopped: points, pages, the status, and events of long and of short streams."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url, timeout=120, trust_env=False)
        self._stopped = threading.Event()
        self._threads = ThreadPoolExecutor()
        self.done: Counter[str] = Counter()
        loops: list[Callable[[], None]] = [self._points, self._pages, lambda: self._events(None), lambda: self._events(20)]
        self._running = [self._threads.submit(self._repeat, loop) for loop in loops]

    def stop(self) -> None:
        """Stop; raise what a client has met."""
        self._stopped.set()
        for running in self._running:
            running.result(120)
        self._threads.shutdown()
        self._client.close()

    def check(self) -> None:
        """Raise what has ended a client."""
        for running in self._running:
            if running.done():
                running.result()

    def _repeat(self, loop: Callable[[], None]) -> None:
        while not self._stopped.is_set():
            loop()

    def _points(self) -> None:
        answer = self._client.get(f"{_STORE}/keys/{_WORDS[self.done['points'] % len(_WORDS)]}")
        assert answer.status_code in {200, 404}, answer.text
        self.done["points"] += 1
        self._stopped.wait(0.02)

    def _pages(self) -> None:
        for path in (f"{_STORE}/range?limit=100", "status", "metrics"):
            self._client.get(path).raise_for_status()
            self.done[path] += 1
        self._stopped.wait(0.2)

    def _events(self, most: int | None) -> None:
        with self._client.stream("GET", f"{_STORE}/events") as answer:
            answer.raise_for_status()
            for _ in islice(parsed(answer.iter_lines()), most):
                self.done["events" if most is None else "events of short streams"] += 1
                if self._stopped.is_set():
                    return


@pytest.mark.slow
@pytest.mark.extensive
@pytest.mark.timeout(60 * _MINUTES + 900)
def test_memory_threads_and_open_files_stay_the_same(commands: Commands, tmp_path: Path) -> None:
    data, words, sent = tmp_path / "data", cycle(_WORDS), 1
    write_lines(data, {"timestamp": 0, "key": None, "value": next(words)})
    url = start(commands, "run", data, "local")
    count_of(url, _WORDS[0], sent)
    readers, samples = _Readers(url), list[Resources]()
    began = time.monotonic()
    while (elapsed := time.monotonic() - began) < 60 * _MINUTES:
        due = max(0, int(elapsed * _LINES_PER_S) - sent)
        write_lines(data, *({"timestamp": sent + at, "key": None, "value": word} for at, word in enumerate(islice(words, due))))
        sent += due
        readers.check()
        if len(samples) < elapsed:
            samples.append(commands.resources("run"))
            tell_after(began, str(samples[-1]))
        time.sleep(0.1)  # the pace of the input
    answer = count_of(url, _WORDS[0], sent)
    write_lines(data, {"timestamp": sent, "key": None, "value": _WORDS[0]})  # wakes clients that wait for an event
    readers.stop()
    assert answer["rows"][0]["value"] == -(-sent // len(_WORDS))
    assert len(readers.done) == 6, readers.done
    assert grown(samples) == []
    assert commands.stop("run", 120) == 0
