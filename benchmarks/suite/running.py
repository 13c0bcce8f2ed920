"""Runs the programs of the suite, and measures their throughput and latency."""

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from benchmarks.kafka_trades import PARTITIONS
from benchmarks.producing import create_internal_topics
from benchmarks.suite import latency, measuring, workloads
from benchmarks.suite.programs import Program
from benchmarks.suite.report import Row
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics

OUTPUT: Final = Path(__file__).resolve().parents[2] / "build" / "bench"
_MICROSECONDS: Final = 1_000_000
_LIMIT_S: Final = 600.0


class WrongResultsError(Exception):
    """A program has failed, or results are missing or wrong; the message says where its log is."""


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

    def turns(self, workload: workloads.Workload, programs: Sequence[Program], runs: int) -> Iterator[Row]:
        """Run the programs in turns and yield what was measured; a run of a peer with wrong results is named and left out.

        Raises:
            SystemExit: A program that is not a peer has wrong results.
        """
        for _, program in product(range(runs), programs):
            try:
                yield self.throughput(workload, program)
            except WrongResultsError as wrong:
                if not program.peer:
                    raise SystemExit(f"error: {wrong}") from wrong
                print(f"left out: {wrong}", flush=True)

    def throughput(self, workload: workloads.Workload, program: Program) -> Row:
        """Run a program over the input of a workload, check its results, and return what was measured.

        Raises:
            WrongResultsError: The program has failed, or results are missing or wrong.
        """
        run, sink = self._prepared(workload.name, program)
        log = latency.log_of(self._logs, run["NAME"])
        given = {**run, "SOURCE": workload.source, "RECORDS": str(workload.records)}
        measured = measuring.run(program.command(workload.name), given, log, _LIMIT_S)
        if measured.exit_code != 0 or not {"first", "last"} <= measured.marks.keys():
            raise WrongResultsError(f"{program.name} has failed (exit code {measured.exit_code}); see {log}")
        results, checksum = workloads.checked(self._settings, workload, sink)
        if checksum != workload.checksum:
            raise WrongResultsError(
                f"the {results:,} results of {program.name} add up to {checksum:,}, not {workload.checksum:,}; see {log}"
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
