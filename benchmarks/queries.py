"""Measures point reads of state over HTTP while a flow runs from Kafka to Kafka on Spark.

    python -m benchmarks.queries [--seconds N] [--reads N] [--records N] [--stores N] [--in-run]

The flow is inventory: items arrive at a fixed rate, and each changes the stock of one of many stores. The query server is
`eddyline serve` beside the run, or with `--in-run` that of `eddyline run --serve`. The client sends point reads at a fixed rate,
and latency counts from the time at which a request was due. It prints quantiles of the latency, the longest ones with their
times, and the age of the state: the time between the start of the batch that an answer includes and the answer.
"""

import argparse
import asyncio
import multiprocessing
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Final, Self

import httpx
from confluent_kafka import Producer

from benchmarks.kafka_trades import broker
from benchmarks.point_reads import Outcome, PointReads
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics

PARTITIONS: Final = 4
TOPIC: Final = "items"
PATH: Final = "/stores/INVENTORY/keys/"
_CONNECTIONS: Final = 64
_START_TIMEOUT_S: Final = 180.0
_TICK_S: Final = 0.05
_SLOWEST: Final = 5
_GOAL_MS: Final = 50


def names(count: int) -> list[str]:
    """Return the names of the stores."""
    return [f"store-{number:06}" for number in range(count)]


def write_items(settings: KafkaSettings, stores: list[str], rate: int, stopping: Any) -> None:
    """Write items at a rate until `stopping` is set; runs in a process of its own."""
    batching = {"linger.ms": 20, "compression.type": "lz4", "enable.idempotence": True}
    producer = Producer({**settings.producer(), **batching})
    chance, begin, sent = random.Random(2), time.monotonic(), 0
    while not stopping.is_set():
        while sent < (time.monotonic() - begin) * rate:
            store, sku = chance.choice(stores), chance.randrange(8)
            value = f'{{"storeName":"{store}","sku":"sku-{sku}","quantity":{chance.randrange(1, 9)},"type":"RESTOCK"}}'
            producer.produce(TOPIC, value, store, partition=sent % PARTITIONS)
            sent += 1
        producer.poll(0)
        stopping.wait(_TICK_S)
    producer.flush(30)


def read(url: str, keys: list[str], rate: int, seconds: float, found: Any) -> None:
    """Send point reads and put the outcomes into `found`; runs in a process of its own."""
    reads = PointReads(url, PATH, keys, rate=rate, connections=_CONNECTIONS)
    found.put(asyncio.run(reads.run(seconds)))


class Commands:
    """Commands of Eddyline, which end with the block."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.terminate()
        for process in self._running:
            process.wait(60)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a command, whose output goes to a file."""
        program = "import sys; from eddyline.adapters.cli.main import run; sys.exit(run(sys.argv[1:]))"
        with (self._folder / f"{words[0]}.log").open("wb") as log:
            process = subprocess.Popen([sys.executable, "-c", program, *words], stdout=log, stderr=subprocess.STDOUT)  # noqa: S603 - constant arguments
        self._running.append(process)
        return process


def wait_for(url: str, processes: list[subprocess.Popen[bytes]], stores: int, folder: Path) -> None:
    """Wait until the state has nearly all stores, and the lag is small."""
    deadline = time.monotonic() + _START_TIMEOUT_S
    while True:
        if any(process.poll() is not None for process in processes) or time.monotonic() > deadline:
            logs = "".join(path.read_text(errors="replace")[-2_000:] for path in folder.glob("*.log"))
            raise SystemExit(f"the flow or its server does not work:\n{logs}")
        try:
            answer = httpx.get(f"{url}/stores/INVENTORY", timeout=5)
            if answer.status_code == httpx.codes.OK and answer.json()["entries"] > 0.95 * stores:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)


def processor_seconds(process: subprocess.Popen[bytes]) -> float:
    """Return the processor time of a process, without its children."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report(outcomes: list[Outcome], seconds: float, began_ms: float) -> None:
    """Print what was measured."""
    latencies = sorted(outcome.latency_s * 1_000 for outcome in outcomes)
    failed = sum(not outcome.ok for outcome in outcomes)
    quantiles = {
        f"p{share:g}": latencies[min(int(len(latencies) * share / 100), len(latencies) - 1)] for share in (50, 90, 99, 99.9)
    }
    shown = ", ".join(f"{name} {value:.1f} ms" for name, value in quantiles.items())
    print(f"  {len(outcomes):,} point reads in {seconds:.0f} s ({len(outcomes) / seconds:,.0f}/s), {failed} failed")
    late = sum(latency > _GOAL_MS for latency in latencies)
    print(f"  latency: {shown}, longest {latencies[-1]:.1f} ms; {late} above {_GOAL_MS} ms")
    first = min(outcome.at for outcome in outcomes)
    slowest = sorted(outcomes, key=lambda outcome: -outcome.latency_s)[:_SLOWEST]
    print(
        "  the slowest: " + ", ".join(f"{outcome.latency_s * 1_000:.0f} ms at {outcome.at - first:.2f} s" for outcome in slowest)
    )
    ages = [
        began_ms + (outcome.at + outcome.latency_s - first) * 1_000 - outcome.batch_time_ms
        for outcome in outcomes
        if outcome.batch_time_ms is not None
    ]
    if ages:
        print(
            f"  age of the batch in an answer: median {statistics.median(ages) / 1_000:.1f} s, at most {max(ages) / 1_000:.1f} s"
        )


def measure(options: argparse.Namespace, settings: KafkaSettings, folder: Path) -> None:
    """Run the flow, its server, the writer and the reader."""
    Topics(settings).create(TOPIC, PARTITIONS)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    common = ["--log", "kafka", "--bootstrap-servers", settings.bootstrap_servers, "--set", f"state.dir={folder / 'state'}"]
    serving = ["--port", str(port), "--set", "server.rate.limit=0", "--set", "server.generate.token=false"]
    run = [
        "run",
        "inventory",
        *common,
        "--create-topics",
        "--set",
        f"num.partitions={PARTITIONS}",
        "--set",
        "spark.master=local[2]",
    ]
    stores, processes = names(options.stores), multiprocessing.get_context("spawn")
    with Commands(folder) as commands:
        if options.in_run:
            started = [commands.start(*run, "--serve", *serving)]
        else:
            started = [
                commands.start(*run, "--set", "changelog.stores=all"),
                commands.start("serve", "inventory", *common, *serving),
            ]
        stopping = processes.Event()
        writer = processes.Process(target=write_items, args=(settings, stores, options.records, stopping))
        writer.start()
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(url, started, options.stores, folder)
            before, found = processor_seconds(started[-1]), processes.Queue()
            reader = processes.Process(target=read, args=(url, stores, options.reads, options.seconds, found))
            print(f"  load average {os.getloadavg()[0]:.1f}", flush=True)
            reader.start()
            began_ms = time.time() * 1_000
            outcomes = found.get(timeout=options.seconds + _START_TIMEOUT_S)
            reader.join()
            used = (processor_seconds(started[-1]) - before) / len(outcomes) * 1e6
            report(outcomes, options.seconds, began_ms)
            freshness = httpx.get(f"{url}/stores/INVENTORY", timeout=30).json()["freshness"]
            print(f"  processor time of the server per read, with the changes that it applies: {used:.0f} us")
            print(f"  lag at the end: {freshness['lag']:,} records")
        finally:
            stopping.set()
            threading.Thread(target=writer.join, daemon=True).start()
            writer.join(30)


def main() -> None:
    """Start a broker and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60, help="how long to read [default: %(default)s]")
    parser.add_argument("--reads", type=int, default=1_000, help="point reads per second [default: %(default)s]")
    parser.add_argument("--records", type=int, default=2_000, help="items per second [default: %(default)s]")
    parser.add_argument("--stores", type=int, default=10_000, help="how many keys [default: %(default)s]")
    parser.add_argument("--in-run", action="store_true", help="ask the server of run --serve instead of one beside the run")
    parser.add_argument("--bootstrap-servers", help="the brokers [default: start one]")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, broker(Path(name), options.bootstrap_servers) as settings:
        where = "in the run" if options.in_run else "beside the run"
        print(f"{options.reads:,} reads/s of {options.stores:,} keys, {options.records:,} records/s, server {where}", flush=True)
        measure(options, settings, Path(name))


if __name__ == "__main__":
    main()
