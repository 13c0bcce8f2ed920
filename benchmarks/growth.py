"""Measures whether the time per record grows with the number of records and of keys: `python -m benchmarks.growth`.

Trades as JSON from Kafka to Kafka, exactly once, on Spark (`local[2]`) and on the local engine. The first 500,000 records do not
count, which are the first batch on Spark, so that the start of Java and of workers is left out.

- `records`: one run over all records with 100 keys, in windows of 5 s that advance by 1 s, latest update. A row is a stretch of
  the run.
- `keys in turn`: a total for each key, without windows, every update, 100 keys at a time and one such group after the other. A
  record has one result and hardly any change of state to save, whatever the number of keys; what grows is the state. A key is new
  once, which takes 15 to 20 us: with ten records for each key, that is a third of the time of a record.
- `keys at random`: the same with all keys at all times. The more keys, the more of them have changed at each commit, so that more
  entries are saved, and the less of what a record needs is in the caches of the processor. It has half of the records.
- `windows`: all keys at all times in windows again, latest update. The more keys, the fewer records share a window, so that a
  record has more results; compare the time per result. The goal of at most 15 % more per record is not one of this measure. It
  has a third of the records.

With `--peers`, `keys at random` is measured of other systems as well: a loop written by hand, Kafka Streams and Flink SQL, which
write each update, too. What they need warm, after the first quarter of the records, counts.

Processor time is that of the program and all processes that it starts, without the broker. Runs by the number of keys are
repeated, and the one with the least processor time counts, since other programs on the same cores only add to it. Plots and their
points are written to `build/bench`.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, product
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, TypeVar

from benchmarks.goals import print_goal
from benchmarks.kafka_trades import PARTITIONS, broker
from benchmarks.producing import create_internal_topics
from benchmarks.suite import measuring, workloads
from benchmarks.suite.charts import save_lines
from benchmarks.suite.marks import Batch, batches_in
from benchmarks.suite.programs import GROWTH, Program, eddyline
from benchmarks.suite.report import Row, shown, table
from benchmarks.suite.running import OUTPUT, Suite
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics

T = TypeVar("T")

ENGINES: Final = ("spark", "local")
_MILLION: Final = 1_000_000
_MICROSECONDS: Final = 1_000_000
_LIMIT_S: Final = 900.0
_GOAL: Final = 1.15
_WARM_UP: Final = 500_000
_AXIS: Final = "processor time, µs per record"
_COLUMNS: Final = (
    "engine",
    "records",
    "keys",
    "CPU us/record",
    "wall us/record",
    "results/record",
    "CPU us/result",
    "CPU ratio",
    "load",
)
_UPDATES: Final = {"every-update": "every update", "latest": "latest update"}
_AT_RANDOM: Final = "keys at random"
_WITH_GOAL: Final = ("records", "keys in turn", _AT_RANDOM)
_STRETCHES: Final = (1, 2, 5, 10)
_MEASURES: Final[Mapping[str, tuple[Callable[[int, int], workloads.Workload], str, int]]] = {
    "keys in turn": (workloads.trade_stats_in_turn, "every-update", 1),
    _AT_RANDOM: (workloads.trade_stats, "every-update", 2),
    "windows": (workloads.stock_stats, "latest", 3),
}
"""The measures by the number of keys, with their workloads, which updates they emit, and by what their records are divided."""


class Runs:
    """Runs Eddyline against one broker.

    Args:
        settings: The broker.
        folder: For checkpoints.
        batch: The records of a batch; None for what the engines choose.
    """

    def __init__(self, settings: KafkaSettings, folder: Path, batch: int | None) -> None:
        self._settings, self._folder, self._batch = settings, folder, batch
        self._logs = OUTPUT / "logs"
        self._logs.mkdir(parents=True, exist_ok=True)

    def run(self, workload: workloads.Workload, engine: str, emit: str) -> tuple[measuring.Run, list[Batch]]:
        """Run a workload on an engine, and return what was measured and its batches from the first one that counts.

        Raises:
            SystemExit: The run has failed, or results are missing.
        """
        name = f"growth-{workload.name}-{engine}-{emit}-{time.time_ns()}"
        sink, folder, log = f"{name}-results", self._folder / name, self._logs / f"{name}.log"
        Topics(self._settings).create(sink, PARTITIONS)
        folder.mkdir()
        environment = {
            "BOOTSTRAP_SERVERS": self._settings.bootstrap_servers,
            "SOURCE": workload.source,
            "SINK": sink,
            "RECORDS": str(workload.records),
            "NAME": name,
            "FOLDER": str(folder),
            "ENGINE": engine,
            "EMIT": emit,
            "BATCHES": "yes",
        }
        if self._batch is not None:
            environment["BATCH_RECORDS"] = str(self._batch)
        measured = measuring.run(eddyline(workload.name), environment, log, _LIMIT_S)
        batches = batches_in(log.read_text(errors="replace").splitlines())
        if measured.exit_code != 0 or not batches or batches[-1].records != workload.records:
            raise SystemExit(f"error: {name} has failed (exit code {measured.exit_code}); see {log}")
        _, checksum = workloads.checked(self._settings, workload, sink)
        if checksum != workload.checksum:
            raise SystemExit(f"error: the results of {name} add up to {checksum:,}, not {workload.checksum:,}; see {log}")
        return measured, [batch for batch in batches if batch.records >= _WARM_UP]


def between(measured: measuring.Run, begin: Batch, end: Batch) -> dict[str, Any]:
    """Return the times and the results per record between the ends of two batches."""
    records, results = end.records - begin.records, end.results - begin.results
    used = measured.processor_seconds(begin.at, end.at)
    return {
        "CPU us/record": used / records * _MICROSECONDS,
        "wall us/record": (end.at - begin.at) / records * _MICROSECONDS,
        "results/record": results / records,
        "CPU us/result": used / results * _MICROSECONDS if results else None,
    }


def stretches(batches: Sequence[Batch], limits: Sequence[int]) -> Iterator[tuple[Batch, Batch]]:
    """Yield the first and the last batch of each stretch; `limits` are the numbers of records at which stretches end."""
    ends = [batches[0], *(next(batch for batch in batches if batch.records >= limit) for limit in limits)]
    return ((begin, end) for begin, end in pairwise(ends) if end.records > begin.records)


def with_ratios(rows: Sequence[Row]) -> list[Row]:
    """Return rows with the ratio of their processor time per record to that of the first row of their engine."""
    first: dict[str, float] = {}
    for row in rows:
        first.setdefault(row["engine"], row["CPU us/record"])
    return [{**row, "CPU ratio": row["CPU us/record"] / first[row["engine"]]} for row in rows]


def by_records(runs: Runs, settings: KafkaSettings, options: argparse.Namespace) -> list[Row]:
    """Return the rows of the stretches of one run on each engine."""
    records: int = options.records
    workload = workloads.stock_stats(records)
    workloads.write(settings, workload)
    limits = [million * _MILLION for million in _STRETCHES if million * _MILLION < records] + [records]
    rows: list[Row] = []
    plotted: dict[str, list[tuple[float, float]]] = {}
    for engine in options.engine or ENGINES:
        load = os.getloadavg()[0]
        measured, batches = runs.run(workload, engine, "latest")
        for begin, end in stretches(batches, limits):
            stretch = f"{begin.records / _MILLION:.2f} to {end.records / _MILLION:.2f} million"
            found = between(measured, begin, end)
            rows.append(shown({"engine": engine, "records": stretch, "keys": workloads.TICKERS, **found, "load": load}))
        every = range(_MILLION, records + 1, _MILLION)
        plotted[engine] = [
            (end.records / _MILLION, between(measured, begin, end)["CPU us/record"]) for begin, end in stretches(batches, every)
        ]
    title = f"Processor time by the number of records: windows, {workloads.TICKERS} keys, latest update"
    save_lines(OUTPUT, "growth-records", plotted, ("millions of records", _AXIS), title)
    return with_ratios(rows)


def by_keys(runs: Runs, settings: KafkaSettings, options: argparse.Namespace, measure: str) -> list[Row]:
    """Return the rows of runs by the number of keys on each engine."""
    workload_of, emit, divisor = _MEASURES[measure]
    records: int = options.records_by_keys // divisor

    def run(engine: str, number: int) -> Row:
        workload = workload_of(records, number)
        workloads.write(settings, workload)
        measured, batches = runs.run(workload, engine, emit)
        return {"engine": engine, "records": records, "keys": number, **between(measured, batches[0], batches[-1])}

    engines = options.engine or ENGINES
    rows = _least(engines, options, run)
    plotted: Mapping[str, list[tuple[float, float]]] = {
        engine: [(row["keys"], row["CPU us/record"]) for row in rows if row["engine"] == engine] for engine in engines
    }
    title = f"Processor time by the number of keys: {measure}, {records:,} records, {_UPDATES[emit]}"
    save_lines(OUTPUT, f"growth-{measure}".replace(" ", "-"), plotted, ("keys", _AXIS), title, log_scale=True)
    return rows


def of_peers(settings: KafkaSettings, folder: Path, options: argparse.Namespace) -> list[Row]:
    """Return the rows of other systems by the number of keys, all at all times."""
    suite, records = Suite(settings, folder), options.records_by_keys // _MEASURES[_AT_RANDOM][-1]

    def run(program: Program, number: int) -> Row | None:
        workload = workloads.trade_stats(records, number)
        workloads.write(settings, workload)
        found = next(suite.turns(workload, [program], runs=1), None)
        return (
            None
            if found is None
            else {
                "engine": program.name,
                "records": records,
                "keys": number,
                "CPU us/record": found["warm CPU µs/record"],
                "wall us/record": _MICROSECONDS / found["warm records/s"],
                "results/record": found["results"] / records,
            }
        )

    return _least(GROWTH, options, run)


def _least(systems: Sequence[T], options: argparse.Namespace, run: Callable[[T, int], Row | None]) -> list[Row]:
    """Return a row for each system and number of keys, with ratios; of several runs, the one with the least processor time.

    A run that gives None is left out.
    """
    least: dict[tuple[str, int], Row] = {}
    for system, _, number in product(systems, range(options.runs), options.keys):
        load = os.getloadavg()[0]
        found = run(system, number)
        if found is None:
            continue
        row = shown({**found, "load": load})
        name = row["engine"], number
        least[name] = min(least.get(name, row), row, key=itemgetter("CPU us/record"))
    return with_ratios(list(least.values()))


def _print(title: str, rows: Sequence[Row]) -> None:
    print(f"\n{title}\n\n{table(rows, _COLUMNS)}", flush=True)
    for engine, ratio in _largest_ratios(rows).items() if title in _WITH_GOAL else ():
        what = f"{title}, {engine}: CPU us/record beside the first stretch or the fewest keys"
        print_goal(what, ratio, _GOAL, at_most=True)


def _largest_ratios(rows: Sequence[Row]) -> dict[str, float]:
    found: dict[str, float] = {}
    for row in rows:
        found[row["engine"]] = max(row["CPU ratio"], found.get(row["engine"], 0.0))
    return found


def main() -> None:
    """Measure what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10 * _MILLION, help="records of the long run [default: %(default)s]")
    parser.add_argument("--keys", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000], help="multiples of 100")
    parser.add_argument("--records-by-keys", type=int, default=3 * _MILLION, help="records for each number of keys in turn")
    parser.add_argument("--batch", type=int, help="records of a batch [default: what the engines choose]")
    parser.add_argument("--runs", type=int, default=2, help="how often each number of keys is measured [default: %(default)s]")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="only this engine")
    parser.add_argument("--only", choices=["records", *_MEASURES], action="append", help="only these")
    parser.add_argument("--peers", action="store_true", help="also measure other systems, with keys at random")
    options = parser.parse_args()
    chosen = options.only or ["records", *_MEASURES]
    print(f"load average at the start: {os.getloadavg()[0]:.1f}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder, broker(Path(folder)) as settings:
        create_internal_topics(settings)
        runs = Runs(settings, Path(folder), options.batch)
        if "records" in chosen:
            _print("records", by_records(runs, settings, options))
        for measure in _MEASURES:
            if measure in chosen:
                _print(measure, by_keys(runs, settings, options, measure))
        if options.peers and _AT_RANDOM in chosen:
            print(f"\n{_AT_RANDOM}, other systems\n\n{table(of_peers(settings, Path(folder), options), _COLUMNS)}", flush=True)


if __name__ == "__main__":
    main()
