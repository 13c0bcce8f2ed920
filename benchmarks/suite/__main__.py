"""Measures Eddyline, and with `--peers` other systems beside it: `python -m benchmarks.suite [--peers] [--only NAME]`.

Throughput of aggregations and joins is measured from Kafka to Kafka on two cores: `whole` from the first batch to the end, `warm`
after the first quarter of the input. The results are checked: if they do not add up, the run fails. Latency is measured at a
fixed rate. With `--runs`, programs run in turns and their medians count, since others may use the machine, too. Peers need Maven,
and environments that are created in `build/peers`. Results and plots are written to `build/bench`.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from benchmarks.kafka_trades import PARTITIONS, broker
from benchmarks.producing import create_internal_topics
from benchmarks.suite import joins, latency, measuring, workloads
from benchmarks.suite.charts import save
from benchmarks.suite.goals import print_goals
from benchmarks.suite.programs import LATENCY, LOCAL, THROUGHPUT, Program
from benchmarks.suite.report import Row, medians, table, with_ratios
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics

OUTPUT: Final = Path(__file__).resolve().parents[2] / "build" / "bench"
_MICROSECONDS: Final = 1_000_000
_LIMIT_S: Final = 600.0
_WARM_UP_S: Final = 15.0
_COLUMNS: Final = (
    "program",
    "records",
    "whole records/s",
    "warm records/s",
    "ratio",
    "CPU µs/record",
    "warm CPU µs/record",
    "start s",
    "results",
)
_WORKLOADS: Final[Mapping[str, tuple[Callable[[int], workloads.Workload], str]]] = {
    "stock-stats": (workloads.stock_stats, "trades"),
    "word-count": (workloads.word_count, "lines"),
    "clickstream": (joins.clickstream, "clicks"),
    "notifications": (joins.notifications, "ticks"),
}
"""The workloads whose throughput is measured, and the options with their sizes."""
_RATES: Final = {"whole run": "whole records/s", "warm": "warm records/s"}
_TIMES: Final = {"p50": "p50 ms", "p99": "p99 ms"}
"""What is plotted."""
_LATENCY_COLUMNS: Final = ("program", "p50 ms", "p99 ms", "first result s", "cores", "MB", "missing")


class Suite:
    """Runs the programs against one broker.

    Args:
        settings: The broker.
        folder: For checkpoints and logs.
    """

    def __init__(self, settings: KafkaSettings, folder: Path) -> None:
        self._settings, self._folder = settings, folder
        create_internal_topics(settings)
        self._logs = OUTPUT / "logs"
        self._logs.mkdir(parents=True, exist_ok=True)

    def throughput(self, workload: workloads.Workload, program: Program) -> Row:
        """Run a program over the input of a workload, check its results, and return what was measured.

        Raises:
            SystemExit: The program has failed, or results are missing or wrong.
        """
        run, sink = self._prepared(workload.name, program)
        log = latency.log_of(self._logs, run["NAME"])
        given = {**run, "SOURCE": workload.source, "RECORDS": str(workload.records)}
        measured = measuring.run(program.command(workload.name), given, log, _LIMIT_S)
        if measured.exit_code != 0 or not {"first", "last"} <= measured.marks.keys():
            raise SystemExit(f"error: {program.name} has failed (exit code {measured.exit_code}); see {log}")
        results, checksum = workloads.checked(self._settings, workload, sink)
        if checksum != workload.checksum:
            raise SystemExit(
                f"error: the {results:,} results of {program.name} add up to {checksum:,}, not {workload.checksum:,}; see {log}"
            )
        first, last = measured.marks["first"], measured.marks["last"]
        quarter = measured.marks.get("quarter")
        left = workload.records - measured.done.get("quarter", workload.records // 4)
        if not left:  # one batch had all records
            quarter = None
        used = measured.processor_seconds(measured.started, measured.ended)
        return {
            "program": program.name,
            "records": workload.records,
            "whole records/s": round(workload.records / (last - first)),
            "warm records/s": None if quarter is None else round(left / (last - quarter)),
            "CPU µs/record": used / workload.records * _MICROSECONDS,
            "warm CPU µs/record": None if quarter is None else measured.processor_seconds(quarter, last) / left * _MICROSECONDS,
            "start s": first - measured.started,
            "results": results,
        }

    def latency(self, program: Program, *, rate: int, seconds: float) -> Row:
        """Return the latency of a program at a rate in records per second."""
        run, sink = self._prepared("latency", program)
        source = f"{run['NAME']}-source"
        Topics(self._settings).create(source, PARTITIONS)
        environment = {**os.environ, **run, "SOURCE": source, "RECORDS": "0"}
        with latency.log_of(self._logs, run["NAME"]).open("wb") as log:
            process = subprocess.Popen(  # noqa: S603 - the programs of the suite
                program.command("latency"), stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True
            )
        found = latency.measure(self._settings, process, (source, sink), rate=rate, warm_s=15, seconds=seconds)
        return {
            "program": program.name,
            "p50 ms": found.p50_ms,
            "p99 ms": found.p99_ms,
            "first result s": found.first_result_s,
            "cores": found.cores,
            "MB": found.megabytes,
            "missing": found.missing,
        }

    def _prepared(self, workload: str, program: Program) -> tuple[dict[str, str], str]:
        """Create the output topic of a run; return its environment and the topic."""
        name = f"{workload}-{program.name}-{time.time_ns()}".replace(" ", "-").replace(",", "")
        sink = f"{name}-results"
        Topics(self._settings).create(sink, PARTITIONS)
        folder = self._folder / name
        folder.mkdir()
        return {
            **program.environment(),
            "BOOTSTRAP_SERVERS": self._settings.bootstrap_servers,
            "SINK": sink,
            "NAME": name,
            "FOLDER": str(folder),
            "PYTHONUNBUFFERED": "1",
        }, sink


def main() -> None:
    """Run the suite."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", action="store_true", help="measure other systems, too")
    default = ["stock-stats", "word-count", "clickstream", "notifications", "latency"]
    parser.add_argument(
        "--only", action="append", choices=[*default, "local"], help="measure only these [default: all but local]"
    )
    parser.add_argument("--trades", type=int, default=2_000_000, help="how many trades [default: %(default)s]")
    parser.add_argument("--lines", type=int, default=500_000, help="how many lines of words [default: %(default)s]")
    parser.add_argument("--clicks", type=int, default=500_000, help="how many clicks [default: %(default)s]")
    parser.add_argument("--ticks", type=int, default=1_000_000, help="how many ticks of notifications [default: %(default)s]")
    parser.add_argument("--runs", type=int, default=1, help="how often throughput is measured [default: %(default)s]")
    parser.add_argument("--rate", type=int, default=2_000, help="records per second for latency [default: %(default)s]")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long latency is measured [default: %(default)s]")
    parser.add_argument(
        "--program", action="append", default=[], metavar="TEXT", help="only programs with this text in their names"
    )
    options = parser.parse_args()
    chosen = options.only or default
    interpreter = f"Python {platform.python_version()} of {sys.base_prefix}"
    print(f"{interpreter}; load average at the start: {os.getloadavg()[0]:.1f}\n", flush=True)
    with tempfile.TemporaryDirectory() as folder, broker(Path(folder)) as settings:
        suite = Suite(settings, Path(folder))
        for name, (workload_of, size) in _WORKLOADS.items():
            if name in chosen:
                workload = workload_of(getattr(options, size))
                workloads.write(settings, workload)
                turns = product(range(options.runs), _chosen(THROUGHPUT[name], options))
                rows = medians(_shown(suite.throughput(workload, program)) for _, program in turns)
                rows = with_ratios(rows, "whole records/s")
                what = f"{name}: {workload.records:,} records" + (f", medians of {options.runs} runs" if options.runs > 1 else "")
                print(f"\n{what}\n\n{table(rows, _COLUMNS)}", flush=True)
                print_goals(name, rows)
                save(OUTPUT, name, rows, _RATES, "records/s", f"{name}: {workload.records:,} records from Kafka to Kafka")
        if "latency" in chosen:
            programs = _chosen(LATENCY, options)
            rows = [_shown(suite.latency(program, rate=options.rate, seconds=options.seconds)) for program in programs]
            print(f"\nlatency at {options.rate:,} records/s\n\n{table(rows, _LATENCY_COLUMNS)}", flush=True)
            print_goals("latency", rows)
            save(OUTPUT, "latency", rows, _TIMES, "ms", f"Latency at {options.rate:,} records/s")
        if "local" in chosen:
            _measure_local(suite, settings, options)


def _measure_local(suite: Suite, settings: KafkaSettings, options: argparse.Namespace) -> None:
    """Measure programs of one process, after one of them has warmed up the broker."""
    programs = _chosen(LOCAL, options)
    suite.latency(programs[0], rate=options.rate, seconds=_WARM_UP_S)
    rows = [_shown(suite.latency(program, rate=options.rate, seconds=options.seconds)) for program in programs]
    print(f"\nlatency at {options.rate:,} records/s, one process\n\n{table(rows, _LATENCY_COLUMNS)}", flush=True)
    save(OUTPUT, "local-latency", rows, _TIMES, "ms", f"Latency at {options.rate:,} records/s, one process")
    rows = []
    for program in programs:
        workload = workloads.stock_stats(options.trades // program.part)
        workloads.write(settings, workload)
        rows.append(_shown(suite.throughput(workload, program)))
    rows = with_ratios(rows, "whole records/s")
    print(f"\nstock-stats, one process\n\n{table(rows, _COLUMNS)}", flush=True)
    save(OUTPUT, "local-stock-stats", rows, _RATES, "records/s", "stock-stats, one process")


def _chosen(programs: Sequence[Program], options: argparse.Namespace) -> list[Program]:
    found = [program for program in programs if options.peers or not program.peer]
    return [program for program in found if not options.program or any(text in program.name for text in options.program)]


def _shown(row: Row) -> Row:
    print(
        "  ".join(f"{name} {value:,.2f}" if isinstance(value, float) else f"{name} {value}" for name, value in row.items()),
        flush=True,
    )
    return row


if __name__ == "__main__":
    main()
