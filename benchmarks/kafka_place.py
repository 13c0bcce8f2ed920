"""What the benchmarks on Kafka share: a broker of their own, topics full of trades, and the memory of a run's processes."""

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, Self

from confluent_kafka import Producer

from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.broker import Broker

ROOT: Final = Path(__file__).resolve().parents[1]
START_MS: Final = 1_700_000_000_000
TRADES_A_MS: Final = 20
PARTITIONS: Final = 4
_SAMPLE_S: Final = 0.5
_SETTLE_S: Final = 60.0
_KILOBYTES: Final = 1 << 10
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@contextmanager
def broker(folder: Path, bootstrap_servers: str | None = None) -> Iterator[KafkaSettings]:
    """The settings of a broker that lives as long as the block, or of the one that is named."""
    if bootstrap_servers is not None:
        yield KafkaSettings({"bootstrap.servers": bootstrap_servers})
        return
    own = Broker(Artifacts(ROOT / ".services" / "parts"), folder / "broker")
    own.start()
    try:
        yield KafkaSettings({"bootstrap.servers": own.bootstrap_servers})
    finally:
        own.stop()


def fill(settings: KafkaSettings, topic: str, first: int, count: int, *, tickers: int = 100) -> None:
    """Appends trades as JSON, keyed by ticker, in order of time; the topic is made where it is missing."""
    Topics(settings).create(topic, PARTITIONS)
    own = {"linger.ms": 20, "compression.type": "lz4", "partitioner": "murmur2_random", "enable.idempotence": True}
    producer = Producer({**settings.producer(), **own})
    chance = random.Random(first)
    names = [f"T{number:03}" for number in range(tickers)]
    for number in range(first, first + count):
        ticker = chance.choice(names)
        price, size = chance.uniform(10, 200), chance.randrange(1, 1_000)
        value = f'{{"type":"ASK","ticker":"{ticker}","price":{price:.2f},"size":{size}}}'
        while True:
            try:
                producer.produce(topic, value, ticker, timestamp=START_MS + number // TRADES_A_MS)
                break
            except BufferError:
                producer.poll(0.1)
    producer.flush()


def count_records(settings: KafkaSettings, topic: str) -> int:
    """How many committed records the topic holds once no transaction is open, each of them read."""
    _settle(settings, topic)
    log = KafkaEventLog(settings)
    try:
        return sum(
            len(batch)
            for number in range(log.partitions(topic))
            for batch in log.read(topic, number, 0, log.end_offset(topic, number))
        )
    finally:
        log.close()


def _settle(settings: KafkaSettings, topic: str) -> None:
    """Waits until the brokers have marked all transactions as committed."""
    committed, everything = KafkaEventLog(settings), KafkaEventLog(settings.with_values({"isolation.level": "read_uncommitted"}))
    for number in range(committed.partitions(topic)):
        end = everything.end_offset(topic, number)
        deadline = time.monotonic() + _SETTLE_S
        while committed.end_offset(topic, number) < end and time.monotonic() < deadline:
            time.sleep(_SAMPLE_S)
    committed.close()
    everything.close()


class Usage(NamedTuple):
    """Resident megabytes at one moment, of Java and of all Python processes together; what these share counts once."""

    java: int
    python: int


class Watch:
    """Looks twice a second at the memory and the processor time of this process and of all that it has started.

    The broker's processor time is kept apart, and its memory is left out.
    """

    def __init__(self) -> None:
        self.seen: list[Usage] = []
        self._seconds: dict[int, tuple[str, float]] = {}
        self._before: dict[str, float] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._look()
        self._before = self._totals()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self._look()

    @property
    def peak(self) -> Usage:
        """The greatest of each."""
        return Usage(max(seen.java for seen in self.seen), max(seen.python for seen in self.seen))

    @property
    def seconds(self) -> dict[str, float]:
        """Processor time of `java`, `python` and `broker`."""
        return {kind: total - self._before.get(kind, 0.0) for kind, total in self._totals().items()}

    def curve(self, points: int = 10) -> list[Usage]:
        """The greatest of each in so many equal parts of the time."""
        step = max(1, -(-len(self.seen) // points))
        parts = [self.seen[start : start + step] for start in range(0, len(self.seen), step)]
        return [Usage(max(seen.java for seen in part), max(seen.python for seen in part)) for part in parts]

    def _totals(self) -> dict[str, float]:
        totals = {"java": 0.0, "python": 0.0, "broker": 0.0}
        for kind, seconds in self._seconds.values():
            totals[kind] += seconds
        return totals

    def _watch(self) -> None:
        while not self._done.wait(_SAMPLE_S):
            self._look()

    def _look(self) -> None:
        sizes = {"java": 0, "python": 0, "broker": 0}
        for pid, (kind, seconds, megabytes) in _tree(os.getpid()).items():
            self._seconds[pid] = kind, seconds
            sizes[kind] += megabytes
        self.seen.append(Usage(sizes["java"], sizes["python"]))


def _tree(root: int) -> dict[int, tuple[str, float, int]]:
    """Kind, processor seconds and resident megabytes of a process and all below it, by their numbers."""
    stats: dict[int, tuple[str, list[str]]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                name, _, rest = (entry / "stat").read_text().partition(" (")[2].rpartition(")")
                stats[int(entry.name)] = name, rest.split()
    own = {root}
    while new := {pid for pid, (_, fields) in stats.items() if int(fields[1]) in own and pid not in own}:
        own |= new
    found: dict[int, tuple[str, float, int]] = {}
    for pid in own & stats.keys():
        name, fields = stats[pid]
        with suppress(OSError):
            is_broker = b"kafka.Kafka" in Path(f"/proc/{pid}/cmdline").read_bytes()
            kind = "broker" if is_broker else "java" if name == "java" else "python"
            found[pid] = kind, (int(fields[11]) + int(fields[12])) / _TICKS, _resident_megabytes(pid)
    return found


def _resident_megabytes(pid: int) -> int:
    rest = Path(f"/proc/{pid}/smaps_rollup").read_text().partition("Pss:")[2].split(maxsplit=1)
    return int(rest[0]) // _KILOBYTES if rest else 0
