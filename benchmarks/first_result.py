"""Measures how long Eddyline on Spark takes to its first result: `python -m benchmarks.first_result [--rounds N] [--only TEXT]`.

From the start of a command until a file has a first result: `eddyline run stock-stats` over 1,000 trades in files and
`eddyline demo`, with and without an archive of Spark's Java classes, beside a program in plain PySpark over the same trades; only
the demo simulates its own first. The programs run in turns. Then Eddyline runs again with marks in its driver and its workers,
and the parts between them are printed: they add up to the whole. Archives are in a cache of this benchmark.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from benchmarks.goals import print_goal
from benchmarks.suite.measuring import kill_group
from benchmarks.traced.moments import VARIABLE, Moment, read
from benchmarks.traced.parts import Parts, batches, cut, first, mean, planning
from eddyline.adapters.files.event_sink import FileEventSink
from eddyline.application.ports.event_sink import SinkRecord

_ROOT: Final = Path(__file__).resolve().parents[1]
_POLL_S: Final = 0.005
_LIMIT_S: Final = 240.0
_GOAL_RATIO, _GOAL_DEMO_S = 0.6, 12.0
_RUN, _DEMO = "eddyline run", "eddyline demo"
_PEER, _DEMO_PEER = "plain PySpark", "plain PySpark, trades of the demo"
_RESULTS, _PEER_RESULTS = "data/topics/stock-stats/*.jsonl", "results/*.json"
_ARCHIVES: Final = {"with archive": True, "without archive": False}


class Times(NamedTuple):
    """When a command was started and its first result was there, in seconds since the epoch, and when it had ended."""

    begin: float
    result: float
    end: float


class Program(NamedTuple):
    """A command: its words in a folder, where its results go, and whether Java has an archive of its classes."""

    name: str
    words: Callable[[Path], list[str | Path]]
    results: str
    archive: bool = False


class Bench:
    """Runs the programs.

    Args:
        folder: For inputs, results, logs and caches.
        records: How many trades there are for `eddyline run`.
    """

    def __init__(self, folder: Path, records: int) -> None:
        self._folder, self._input, self._of_demo = folder, folder / "input", folder / "missing"
        _write_trades(self._input / "topics", records)
        self._caches = {True: folder / "cache", False: folder / "no-cache"}
        archive = [sys.executable, "-m", "eddyline", "prepare-spark"]
        subprocess.run(archive, cwd=folder, env=self._environment(archive=True), check=True)  # noqa: S603 - this package

    def programs(self, module: str = "eddyline") -> list[Program]:
        """Return the programs; `module` is the one that runs the command of Eddyline."""
        found = [Program(_PEER, lambda folder: _spark(folder, self._input), _PEER_RESULTS)]
        for name, words in ((_RUN, ["run", "stock-stats", "--available-now"]), (_DEMO, ["demo"])):
            command = partial(_eddyline, [sys.executable, "-m", module, *words])
            found += [Program(f"{name}, {title}", command, _RESULTS, archive) for title, archive in _ARCHIVES.items()]
        return [*found, Program(_DEMO_PEER, lambda folder: _spark(folder, self._of_demo), _PEER_RESULTS)]

    def run(self, program: Program) -> tuple[Times, list[Moment], Path]:
        """Run a program in a new folder; return its times, the moments that it has written, and the folder."""
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        if program.name.startswith(_RUN):
            shutil.copytree(self._input, folder / "data")
        elif program.name.startswith(_DEMO):
            self._of_demo = folder / "data"
        moments = folder / "moments"
        moments.touch()
        environment = {**self._environment(archive=program.archive), VARIABLE: str(moments)}
        with (folder / "log").open("wb") as log:
            begin = time.time()
            process = subprocess.Popen(  # noqa: S603 - the programs of this benchmark
                program.words(folder), cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
            )
            result = 0.0
            try:
                while process.poll() is None:
                    if not result and any(path.stat().st_size for path in folder.glob(program.results)):
                        result = time.time()
                    if time.time() > begin + _LIMIT_S:
                        raise SystemExit(f"error: {program.name} takes more than {_LIMIT_S:.0f} s")
                    time.sleep(_POLL_S)
            finally:
                end = time.time()
                kill_group(process)
        if process.returncode or not result:
            raise SystemExit(f"error: {program.name} has failed:\n{(folder / 'log').read_text(errors='replace')[-2_000:]}")
        return Times(begin, result, end), read(moments), folder

    def _environment(self, *, archive: bool) -> dict[str, str]:
        own = {"XDG_CACHE_HOME": str(self._caches[archive]), "EDDYLINE_CREATE_CLASS_ARCHIVE": "false"}
        return {**os.environ, "PYTHONPATH": str(_ROOT), "PYSPARK_PYTHON": sys.executable, **own}


def _write_trades(root: Path, records: int) -> None:
    chance = random.Random(1)
    trades = []
    for number in range(records):
        ticker = f"T{chance.randrange(100):03}"
        value = {"type": "ASK", "ticker": ticker, "price": round(chance.uniform(10, 200), 2), "size": chance.randrange(1, 1_000)}
        trades.append(SinkRecord("trades", ticker.encode(), json.dumps(value).encode(), 1_700_000_000_000 + number * 10))
    sink = FileEventSink(root)
    sink.create_topic("trades", 4)
    sink.write("first-result", 0, 0, trades)


def _eddyline(command: Sequence[str], folder: Path) -> list[str | Path]:
    return [*command, "--data-dir", folder / "data"]


def _spark(folder: Path, data: Path) -> list[str | Path]:
    program = [sys.executable, "-m", "benchmarks.peers.spark_files"]
    return [*program, data / "topics/trades", folder / "results", folder / "checkpoint"]


def results(folder: Path) -> dict[tuple[str, int], tuple[int, float]]:
    """Return the last count and the lowest price by ticker and start of the window, of Eddyline or of plain PySpark."""
    return dict(_results(folder))


def _results(folder: Path) -> Iterator[tuple[tuple[str, int], tuple[int, float]]]:
    for path in (*folder.glob(_PEER_RESULTS), *folder.glob(_RESULTS)):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if "value" in row:
                value = row["value"]
                yield (value["ticker"], row["key"]["window"]["start"]), (value["countTrades"], value["minPrice"])
            else:
                yield (row["ticker"], row["start"]), (row["count"], row["min"])


def first_result_parts(times: Times, moments: list[Moment]) -> Parts:
    """Return the parts of a traced run until its first result."""
    batch = batches(moments)[0]
    return cut(
        times.begin,
        [
            ("start of the interpreter", first(moments, "python")),
            ("imports of pyspark and the engine", first(moments, "imported")),
            *_simulation(moments),
            ("settings, topology, log and checks", first(moments, "session-begin")),
            ("Java, until its gateway answers", first(moments, "java-end")),
            ("session of Spark", first(moments, "session-end")),
            ("engine: checkpoint, plan, tasks", first(moments, "query-begin")),
            ("query: source and stages registered, processes of Python", first(moments, "query-end")),
            ("thread of the query, until its first batch begins", batch.begin),
            *planning(moments, batch),
            ("first task, until it writes", first(moments, "sink-begin")),
            ("sink, until the first result is there", times.result),
        ],
    )


def _simulation(moments: list[Moment]) -> list[tuple[str, float]]:
    """Return the parts of a demonstration before it runs the flow; none of another run."""
    if not any(moment.name == "trades-end" for moment in moments):
        return []
    return [
        ("settings and prices of the demo", first(moments, "trades-begin")),
        ("trades simulated and written", first(moments, "trades-end")),
    ]


def rest_parts(times: Times, moments: list[Moment]) -> Parts:
    """Return the parts of a traced run after its first result."""
    found = batches(moments)
    return cut(
        times.result,
        [
            ("other tasks, stores committed by Spark", first(moments, "batch-end")),
            ("rest of the batch, its commit", found[0].end),
            ("other batches", found[-1].end),
            ("results read and shown, Spark and Java stopped", times.end),
        ],
    )


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each program runs [default: %(default)s]")
    parser.add_argument("--traced", type=int, default=3, help="how often each runs with marks [default: %(default)s]")
    parser.add_argument("--records", type=int, default=1_000, help="trades of eddyline run [default: %(default)s]")
    parser.add_argument("--only", default="", metavar="TEXT", help="Eddyline's programs with this text in their names")
    options = parser.parse_args()
    print(f"load average at the start: {os.getloadavg()[0]:.1f}\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="eddyline-first-") as folder:
        bench = Bench(Path(folder), options.records)
        chosen = {program.name for program in bench.programs() if options.only in program.name or program.name == _PEER}
        if any(name.startswith(_DEMO) for name in chosen):
            chosen.add(_DEMO_PEER)
        programs = [program for program in bench.programs() if program.name in chosen]
        measured: dict[str, list[Times]] = {program.name: [] for program in programs}
        expected = results(bench.run(programs[0])[2])  # not measured: it reads the files of Spark into memory
        for _ in range(options.rounds):
            for program in programs:
                times, _, where = bench.run(program)
                measured[program.name].append(times)
                print(f"{program.name}: {times.result - times.begin:.2f} s, {times.end - times.begin:.2f} s", flush=True)
                if (program.name == _PEER or program.name.startswith(_RUN)) and results(where) != expected:
                    raise SystemExit(f"error: {program.name} has other results than {_PEER}")
        _print_table(measured)
        for program in bench.programs("benchmarks.traced.command"):
            if program.name in measured and not program.name.startswith(_PEER):
                runs = [bench.run(program)[:2] for _ in range(options.traced)]
                _print_parts(program.name, [first_result_parts(*run) for run in runs], [rest_parts(*run) for run in runs])


def _print_table(measured: Mapping[str, list[Times]]) -> None:
    print("\n| program | first result, s | beside plain PySpark | goal | whole command, s |\n|---|---:|---:|---|---:|")
    for name, runs in measured.items():
        found = [times.result - times.begin for times in runs]
        whole = median(times.end - times.begin for times in runs)
        peer = _DEMO_PEER if name.startswith((_DEMO, _DEMO_PEER)) else _PEER
        ratio = median(found) / median(times.result - times.begin for times in measured[peer])
        goal = f"{_GOAL_DEMO_S:.0f} s" if name.startswith(_DEMO) else f"{_GOAL_RATIO}" if name.startswith(_RUN) else ""
        seconds = f"{median(found):.2f} ({min(found):.2f} to {max(found):.2f})"
        print(f"| {name} | {seconds} | {ratio:.2f} | {goal} | {whole:.2f} |")
    _print_goals(measured)


def _print_goals(measured: Mapping[str, list[Times]]) -> None:
    found = {name: median(times.result - times.begin for times in runs) for name, runs in measured.items()}
    for name, seconds in found.items():
        if name.startswith(_RUN):
            print_goal(f"first result: {name} beside {_PEER}", seconds / found[_PEER], _GOAL_RATIO, at_most=True)
        elif name.startswith(_DEMO):
            print_goal(f"first result: {name}, s", seconds, _GOAL_DEMO_S, at_most=True)


def _print_parts(name: str, until_result: list[Parts], after: list[Parts]) -> None:
    if not until_result:
        return
    print(f"\n| {name}: mean of {len(until_result)} runs with marks | s |\n|---|---:|")
    for parts, title in ((mean(until_result), "first result"), (mean(after), "after it")):
        for part, seconds in parts.items():
            print(f"| {part} | {seconds:.2f} |")
        print(f"| **{title}** | **{sum(parts.values()):.2f}** |", flush=True)


if __name__ == "__main__":
    main()
