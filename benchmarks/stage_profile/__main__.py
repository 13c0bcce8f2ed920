"""Measures where the processor time of a record goes on Spark: `python -m benchmarks.stage_profile`.

    python -m benchmarks.stage_profile [--mode MODE ...] [--records N] [--times N] [--rate N] [--python-only]

The program is that of the suite: trades as JSON, windows of 5 s that advance by 1 s, `local[2]`, exactly once. The modes are
the latest update by pane aggregation, the latest update by the general path, and every update. After a quarter of the records,
py-spy samples the stacks of all Python processes with native frames, in an environment of its own in `build/peers`. The
processor time that the system counts for a thread is divided among the stages by the thread's samples; threads of Java and of
librdkafka have one stage each, by their names. So the stages add up to the time of all threads, which is compared with that of
the processes, and with a run without py-spy. Time of the broker does not count. The raw stacks of the last run are kept in
`build/bench`, for flame graphs.
"""

import argparse
import os
import signal
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Final, NamedTuple

from benchmarks.everything import OUTPUT
from benchmarks.kafka_trades import PARTITIONS, broker
from benchmarks.peers import environments
from benchmarks.producing import create_internal_topics
from benchmarks.stage_profile.stages import ORDER, Sample, samples_in, stage_of, stage_of_thread
from benchmarks.stage_profile.threads import ThreadTime, ThreadTimes
from benchmarks.suite import workloads
from benchmarks.suite.marks import Batch, batches_in
from benchmarks.suite.measuring import kill_group
from benchmarks.suite.programs import eddyline
from benchmarks.suite.report import table
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics

_MODES: Final[Mapping[str, Mapping[str, str]]] = {
    "latest": {},
    "general": {"MERGE": "no"},
    "every-update": {"EMIT": "every-update"},
}
_MICROSECONDS: Final = 1_000_000
_POLL_S: Final = 0.05
_LIMIT_S: Final = 600.0
_COLUMNS: Final = ("stage", "CPU us/record", "%", "samples")


class Profile(NamedTuple):
    """What was measured of the warm part of a run.

    Attributes:
        records: Its records.
        seconds: How long it took.
        threads: The processor time of each thread, by its id.
        by_processes: That of all processes together.
        samples: The stacks that py-spy has seen.
    """

    records: int
    seconds: float
    threads: Mapping[int, ThreadTime]
    by_processes: float
    samples: list[Sample]


def seconds_by_stage(threads: Mapping[int, ThreadTime], samples: Iterable[Sample]) -> dict[str, float]:
    """Return processor seconds by stage: those of each thread, divided as its samples are."""
    seen: dict[int, Counter[str]] = defaultdict(Counter)
    for sample in samples:
        seen[sample.thread][stage_of(sample.frames)] += sample.times
    found: dict[str, float] = defaultdict(float)
    for number, thread in threads.items():
        stages = seen.get(number) or Counter({stage_of_thread(thread.name, java=thread.java): 1})
        for stage, count in stages.items():
            found[stage] += thread.seconds * count / stages.total()
    return found


def profile(settings: KafkaSettings, workload: workloads.Workload, mode: str, spy: list[str], folder: Path) -> Profile:
    """Run a mode and sample it after a quarter of the records; `spy` is the command of py-spy, nothing to run without it."""
    name = f"profile-{mode}-{time.time_ns()}"
    Topics(settings).create(f"{name}-results", PARTITIONS)
    (folder / name).mkdir()
    environment = {
        "BOOTSTRAP_SERVERS": settings.bootstrap_servers,
        "SOURCE": workload.source,
        "SINK": f"{name}-results",
        "RECORDS": str(workload.records),
        "NAME": name,
        "FOLDER": str(folder / name),
        "BATCHES": "yes",
        **_MODES[mode],
    }
    log, stacks = folder / f"{name}.log", OUTPUT / f"stage-profile-{mode}.raw"
    with log.open("wb") as output:
        command = eddyline(workload.name)
        process = subprocess.Popen(  # noqa: S603 - a program of the suite
            command, stdout=output, stderr=subprocess.STDOUT, env={**os.environ, **environment}, start_new_session=True
        )
    try:
        times, done = ThreadTimes(process.pid), Event()
        begin = _wait_for(process, log, workload.records // 4)
        times.begin()
        watching = Thread(target=times.watch, args=(done,), daemon=True)
        watching.start()
        sampling = _sampling(spy, stacks, process.pid) if spy else None
        end = _wait_for(process, log, workload.records)
        done.set()
        watching.join()
        times.end()
        if sampling is not None:
            sampling.send_signal(signal.SIGINT)
            sampling.wait()
        process.wait(_LIMIT_S)
    finally:
        kill_group(process)
    samples = list(samples_in(stacks.read_text().splitlines())) if spy else []
    return Profile(end.records - begin.records, times.ended - times.began, times.used(), times.by_processes, samples)


def _sampling(spy: list[str], stacks: Path, process: int) -> subprocess.Popen[bytes]:
    command = [*spy, "--output", str(stacks), "--pid", str(process)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - in its own environment


def _wait_for(process: subprocess.Popen[bytes], log: Path, records: int) -> Batch:
    """Return the batch with which this many records are done, as soon as it has ended.

    Raises:
        SystemExit: The program has ended before, or the time limit is exceeded.
    """
    deadline = time.monotonic() + _LIMIT_S
    while True:
        ended = process.poll() is not None
        for batch in batches_in(log.read_text(errors="replace").splitlines()):
            if batch.records >= records:
                return batch
        if ended or time.monotonic() > deadline:
            raise SystemExit(f"error: the program has failed: {log.read_text(errors='replace')[-2_000:]}")
        time.sleep(_POLL_S)


def show(mode: str, plain: Profile, profiles: Sequence[Profile]) -> None:
    """Print a table of the stages of some runs together, and with what their sum compares."""
    used, counts = defaultdict[str, float](float), Counter[str]()
    for found in profiles:
        for stage, seconds in seconds_by_stage(found.threads, found.samples).items():
            used[stage] += seconds
        for sample in found.samples:
            counts[stage_of(sample.frames)] += sample.times
    records, total = sum(found.records for found in profiles), sum(used.values())
    rows = [
        {
            "stage": stage,
            "CPU us/record": used[stage] / records * _MICROSECONDS,
            "%": 100 * used[stage] / total,
            "samples": counts[stage] or None,
        }
        for stage in ORDER
        if stage in used
    ]
    rows.append({"stage": "all", "CPU us/record": total / records * _MICROSECONDS, "%": 100.0, "samples": counts.total()})
    print(f"\n{mode}, {records:,} records, runs: {len(profiles)}\n\n{table(rows, _COLUMNS)}")
    for what, runs in (("these runs", profiles), ("a run without py-spy", [plain])):
        done = sum(run.records for run in runs)
        us = sum(run.by_processes for run in runs) / done * _MICROSECONDS
        rate = done / sum(run.seconds for run in runs)
        print(f"processor time of all processes in {what}: {us:.2f} us/record, {rate:,.0f} records/s", flush=True)


def main() -> None:
    """Print a table for each mode."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", choices=_MODES, action="append", help="a mode to measure [default: latest and general]")
    parser.add_argument("--records", type=int, default=4_000_000, help="how many trades [default: %(default)s]")
    parser.add_argument("--times", type=int, default=3, help="how many runs are sampled [default: %(default)s]")
    parser.add_argument("--rate", type=int, default=20, help="samples per second; many slow the run down [default: %(default)s]")
    parser.add_argument("--python-only", action="store_true", help="without native frames, which take most of the sampler's time")
    options = parser.parse_args()
    program = environments.python("py-spy").with_name("py-spy")
    how = ["--subprocesses", "--threads", "--function", "--format", "raw", "--rate", str(options.rate)]
    spy = [str(program), "record", *how, *([] if options.python_only else ["--native"])]
    OUTPUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, broker(Path(name)) as settings:
        create_internal_topics(settings)
        workload = workloads.stock_stats(options.records)
        workloads.write(settings, workload)
        for mode in options.mode or ("latest", "general"):
            print(f"{mode}: load average {os.getloadavg()[0]:.1f}", flush=True)
            plain, *found = (profile(settings, workload, mode, run, Path(name)) for run in ([], *[spy] * options.times))
            show(mode, plain, found)


if __name__ == "__main__":
    main()
