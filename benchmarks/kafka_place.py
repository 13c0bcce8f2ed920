"""What the benchmarks on Kafka share: a broker of their own, topics full of trades, and the memory of a run's processes."""

import os
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from confluent_kafka import Producer

from adapters.kafka.event_log import KafkaEventLog
from adapters.kafka.settings import KafkaSettings
from adapters.kafka.topics import Topics
from adapters.services.artifacts import Artifacts
from adapters.services.broker import Broker

ROOT: Final = Path(__file__).resolve().parents[1]
START_MS: Final = 1_700_000_000_000
TRADES_A_MS: Final = 20
PARTITIONS: Final = 4
_SAMPLE_S: Final = 0.5
_MEGABYTE: Final = 1 << 20
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


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
    producer = Producer(
        {**settings.producer(), "linger.ms": 20, "compression.type": "lz4", "partitioner": "murmur2_random", "acks": "all"}
    )
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
    """How many committed records the topic holds, each of them read."""
    log = KafkaEventLog(settings)
    try:
        return sum(
            len(batch)
            for number in range(log.partitions(topic))
            for batch in log.read(topic, number, 0, log.end_offset(topic, number))
        )
    finally:
        log.close()


class Memory(NamedTuple):
    """Resident megabytes at one moment: of Java, and of all Python processes together (shared pages count in each)."""

    java: int
    python: int


class MemoryWatch:
    """Looks twice a second at the memory of this process and of what it has started, the broker left out."""

    def __init__(self) -> None:
        self.seen: list[Memory] = []
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "MemoryWatch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    @property
    def peak(self) -> Memory:
        """The greatest of each."""
        return Memory(max(seen.java for seen in self.seen), max(seen.python for seen in self.seen))

    def curve(self, points: int = 10) -> list[Memory]:
        """The greatest of each in so many equal parts of the time."""
        step = max(1, -(-len(self.seen) // points))
        parts = [self.seen[start : start + step] for start in range(0, len(self.seen), step)]
        return [Memory(max(seen.java for seen in part), max(seen.python for seen in part)) for part in parts]

    def _watch(self) -> None:
        while not self._done.wait(_SAMPLE_S):
            self.seen.append(_memory_of_tree(os.getpid()))


def _memory_of_tree(root: int) -> Memory:
    parents: dict[int, int] = {}
    sizes: dict[int, tuple[str, int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            name, _, rest = (entry / "stat").read_text().partition(" (")[2].rpartition(")")
            if b"kafka.Kafka" in (entry / "cmdline").read_bytes():
                continue
        except OSError:
            continue
        fields = rest.split()
        parents[int(entry.name)] = int(fields[1])
        sizes[int(entry.name)] = name, int(fields[21]) * _PAGE // _MEGABYTE
    own = {root}
    while new := {pid for pid, parent in parents.items() if parent in own and pid not in own}:
        own |= new
    java = sum(size for pid in own for name, size in [sizes.get(pid, ("", 0))] if name == "java")
    return Memory(java, sum(sizes.get(pid, ("", 0))[1] for pid in own) - java)
