"""Measures Eddyline, and with `--peers` other systems beside it: `python -m benchmarks.suite [--peers] [--only NAME]`.

Throughput of aggregations and joins is measured from Kafka to Kafka on two cores: `whole` from the first batch to the end, `warm`
after the first quarter of the input. The results are checked: a run of a peer whose results do not add up is left out, and one of
Eddyline ends the suite. Latency is measured at a fixed rate. With `--runs`, programs run in turns and their medians count, since
others may use the machine, too. Peers need Maven, and environments that are created in `build/peers`. Results and plots are
written to `build/bench`.
"""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.kafka_trades import broker
from benchmarks.suite import joins, workloads
from benchmarks.suite.charts import save
from benchmarks.suite.goals import print_goals
from benchmarks.suite.programs import LATENCY, LOCAL, THROUGHPUT, Program
from benchmarks.suite.report import medians, shown, table, with_ratios
from benchmarks.suite.running import OUTPUT, Suite
from eddyline.adapters.kafka.settings import KafkaSettings

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
                rows = medians(map(shown, suite.turns(workload, _chosen(THROUGHPUT[name], options), options.runs)))
                rows = with_ratios(rows, "whole records/s")
                what = f"{name}: {workload.records:,} records" + (f", medians of {options.runs} runs" if options.runs > 1 else "")
                print(f"\n{what}\n\n{table(rows, _COLUMNS)}", flush=True)
                print_goals(name, rows)
                save(OUTPUT, name, rows, _RATES, "records/s", f"{name}: {workload.records:,} records from Kafka to Kafka")
        if "latency" in chosen:
            programs = _chosen(LATENCY, options)
            rows = [shown(suite.latency(program, rate=options.rate, seconds=options.seconds)) for program in programs]
            print(f"\nlatency at {options.rate:,} records/s\n\n{table(rows, _LATENCY_COLUMNS)}", flush=True)
            print_goals("latency", rows)
            save(OUTPUT, "latency", rows, _TIMES, "ms", f"Latency at {options.rate:,} records/s")
        if "local" in chosen:
            _measure_local(suite, settings, options)


def _measure_local(suite: Suite, settings: KafkaSettings, options: argparse.Namespace) -> None:
    """Measure programs of one process, after one of them has warmed up the broker."""
    programs = _chosen(LOCAL, options)
    suite.latency(programs[0], rate=options.rate, seconds=_WARM_UP_S)
    rows = [shown(suite.latency(program, rate=options.rate, seconds=options.seconds)) for program in programs]
    print(f"\nlatency at {options.rate:,} records/s, one process\n\n{table(rows, _LATENCY_COLUMNS)}", flush=True)
    save(OUTPUT, "local-latency", rows, _TIMES, "ms", f"Latency at {options.rate:,} records/s, one process")
    rows = []
    for program in programs:
        workload = workloads.stock_stats(options.trades // program.part)
        workloads.write(settings, workload)
        rows += map(shown, suite.turns(workload, [program], runs=1))
    rows = with_ratios(rows, "whole records/s")
    print(f"\nstock-stats, one process\n\n{table(rows, _COLUMNS)}", flush=True)
    save(OUTPUT, "local-stock-stats", rows, _RATES, "records/s", "stock-stats, one process")


def _chosen(programs: Sequence[Program], options: argparse.Namespace) -> list[Program]:
    found = [program for program in programs if options.peers or not program.peer]
    return [program for program in found if not options.program or any(text in program.name for text in options.program)]


if __name__ == "__main__":
    main()
