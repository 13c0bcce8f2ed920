"""Latency at a fixed rate: from just before a record is produced until a consumer of committed records has its result.

The work is the least price, the number and the mean of prices by ticker. A record that is the n-th of its ticker has its result
when the first result of the ticker with a count of at least n is received, so programs that write one result for several records
are measured alike.
"""

import json
import random
import subprocess
import time
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Final, NamedTuple

from confluent_kafka import Consumer, Producer, TopicPartition

from benchmarks.kafka_trades import PARTITIONS
from benchmarks.suite.measuring import kill_group, memory_of, processor_seconds
from eddyline.adapters.kafka.settings import KafkaSettings

TICKERS: Final = tuple(f"T{number:03}" for number in range(100))
_FIRST_RESULT_TIMEOUT_S: Final = 120.0
_LAST_RESULT_TIMEOUT_S: Final = 15.0


class Latency(NamedTuple):
    """Percentiles in ms, how many records had no result in time, the time to the first result, cores and resident MB used."""

    p50_ms: float
    p99_ms: float
    missing: int
    first_result_s: float
    cores: float
    megabytes: int


class _Results:
    """Receives results in a thread: for each ticker its counts, and when each of them was received first."""

    def __init__(self, settings: KafkaSettings, topic: str) -> None:
        self.received: dict[str, tuple[list[int], list[float]]] = {ticker: ([], []) for ticker in TICKERS}
        self.any = Event()
        self._stopped = Event()
        self._consumer = Consumer(
            {
                **settings.consumer(),
                "group.id": f"{topic}-latency",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
                "fetch.wait.max.ms": 10,
            }
        )
        self._consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])
        self._thread = Thread(target=self._receive, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread."""
        self._stopped.set()
        self._thread.join()
        self._consumer.close()

    def _receive(self) -> None:
        while not self._stopped.is_set():
            messages = self._consumer.consume(1, 0.05)
            for message in messages + self._consumer.consume(1_000, 0):
                value = message.value()
                if message.error() is None and value is not None:
                    self._add(json.loads(value))

    def _add(self, result: dict[str, object]) -> None:
        counts, times = self.received[str(result["ticker"])]
        count = int(str(result["count"]))
        if not counts or count > counts[-1]:
            counts.append(count)
            times.append(time.time())
        self.any.set()


class _Source:
    """Produces trades, and notes when each of them was produced."""

    def __init__(self, settings: KafkaSettings, topic: str) -> None:
        self.sent: dict[str, list[float]] = {ticker: [] for ticker in TICKERS}
        self._producer = Producer({**settings.producer(), "linger.ms": 0, "partitioner": "murmur2_random"})
        self._topic = topic
        self._chance = random.Random(1)

    def send(self, ticker: str) -> None:
        """Produce a trade of a ticker."""
        self.sent[ticker].append(time.time())
        price, size = self._chance.uniform(10, 200), self._chance.randrange(1, 1_000)
        value = f'{{"type":"ASK","ticker":"{ticker}","price":{price:.2f},"size":{size}}}'
        self._producer.produce(self._topic, value, ticker)

    def send_at_rate(self, rate: int, seconds: float) -> None:
        """Produce trades of random tickers for some time."""
        start, sent = time.time(), 0
        while sent < rate * seconds:
            due = int(min(time.time() - start, seconds) * rate) + 1
            for _ in range(due - sent):
                self.send(self._chance.choice(TICKERS))
            sent = max(sent, due)
            self._producer.poll(0)
            time.sleep(0.001)
        self._producer.flush()

    def flush(self) -> None:
        """Wait until everything is produced."""
        self._producer.flush()


def measure(
    settings: KafkaSettings,
    process: "subprocess.Popen[bytes]",
    topics: tuple[str, str],
    *,
    rate: int,
    warm_s: float,
    seconds: float,
) -> Latency:
    """Measure the latency of a program that was just started, and kill it.

    Args:
        settings: The brokers.
        process: The program.
        topics: The topic that it reads and the one that it writes.
        rate: The records per second.
        warm_s: How long to send records before the measurement.
        seconds: How long to measure.
    """
    started = time.time()
    source, results = _Source(settings, topics[0]), _Results(settings, topics[1])
    try:
        while not results.any.wait(0.05):
            if process.poll() is not None or time.time() > started + _FIRST_RESULT_TIMEOUT_S:
                raise SystemExit("error: the program has written no result; see its log")
            for ticker in TICKERS:
                source.send(ticker)
            source.flush()
        first_result = time.time() - started
        source.send_at_rate(rate, warm_s)
        measured_from = time.time()
        known: dict[int, float] = {}
        before = processor_seconds(process.pid, known)
        source.send_at_rate(rate, seconds)
        cores = (processor_seconds(process.pid, known) - before) / (time.time() - measured_from)
        megabytes = memory_of(process.pid)
        _wait_for_last(source, results)
    finally:
        results.stop()
        kill_group(process)
    found, missing = _latencies(source, results, measured_from)
    return Latency(_percentile(found, 0.5), _percentile(found, 0.99), missing, first_result, cores, megabytes)


def log_of(folder: Path, name: str) -> Path:
    """Return the file with the output of a program."""
    return folder / f"{name.replace(' ', '-').replace(',', '')}.log"


def _wait_for_last(source: _Source, results: _Results) -> None:
    deadline = time.time() + _LAST_RESULT_TIMEOUT_S
    while time.time() < deadline:
        if all(results.received[ticker][0][-1:] == [len(sent)] for ticker, sent in source.sent.items()):
            return
        time.sleep(0.1)


def _latencies(source: _Source, results: _Results, measured_from: float) -> tuple[list[float], int]:
    found, missing = [], 0
    for ticker, sent in source.sent.items():
        counts, times = results.received[ticker]
        for number, at in enumerate(sent, 1):
            if at >= measured_from:
                index = bisect_left(counts, number)
                if index == len(counts):
                    missing += 1
                else:
                    found.append((times[index] - at) * 1_000)
    return sorted(found), missing


def _percentile(values: Sequence[float], share: float) -> float:
    return round(values[min(len(values) - 1, int(share * len(values)))], 1) if values else float("nan")
