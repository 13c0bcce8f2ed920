"""The work of the benchmarks: input topics with the same contents in every run, and what the results must add up to."""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from benchmarks.kafka_trades import PARTITIONS, START_MS, TRADES_PER_MS
from benchmarks.producing import Produced, produce
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import LogRecord

WINDOWS_PER_TRADE: Final = 5
_WORDS: Final = 10_000
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"

Record = tuple[str | None, str, int, int]
"""Key, value, timestamp in ms since the epoch, and partition; -1 lets the hash of the key choose it."""


def final_counts(results: Iterable[LogRecord]) -> int:
    """Return the sum of the greatest `count` of each key.

    The key is `ticker` and `start` of the result, or the key of its record.
    """
    greatest: dict[object, int] = {}
    for record in results:
        found = json.loads(record.value or b"{}")
        key = (found["ticker"], found.get("start")) if "ticker" in found else record.key
        greatest[key] = max(greatest.get(key, 0), found["count"])
    return sum(greatest.values())


@dataclass(frozen=True)
class Workload:
    """Input topics and what the results add up to.

    Attributes:
        name: The name of the workload.
        topics: The input topics.
        records: The number of input records in all topics.
        generate: Yields the records, by timestamp.
        checksum: What the results of every program must add up to, which shows that nothing is missing, doubled or wrong.
        check: Returns the checksum of results.
    """

    name: str
    topics: tuple[str, ...]
    records: int
    generate: Callable[[], Iterator[Produced]]
    checksum: int
    check: Callable[[Iterable[LogRecord]], int] = final_counts

    @property
    def source(self) -> str:
        """The input topics, separated by commas."""
        return ",".join(self.topics)


def trades(count: int) -> Iterator[Record]:
    """Yield trades of 100 tickers as JSON, keyed by ticker, 20 in a millisecond."""
    chance = random.Random(1)
    for number in range(count):
        ticker = f"T{chance.randrange(100):03}"
        value = f'{{"type":"ASK","ticker":"{ticker}","price":{chance.uniform(10, 200):.2f},"size":{chance.randrange(1, 1_000)}}}'
        yield ticker, value, START_MS + number // TRADES_PER_MS, -1


def lines(count: int) -> Iterator[Record]:
    """Yield lines of 6 to 10 words, of 10,000 words that are the rarer the later they come."""
    chance = random.Random(1)
    words = ["".join(chance.choices(_LETTERS, k=chance.randrange(3, 11))) + str(number) for number in range(_WORDS)]
    weights = list(accumulate(1 / (number + 10) for number in range(_WORDS)))
    for number in range(count):
        line = " ".join(chance.choices(words, cum_weights=weights, k=chance.randrange(6, 11)))
        yield None, line, START_MS + number // TRADES_PER_MS, number % PARTITIONS


def stock_stats(records: int) -> Workload:
    """Return the aggregation of trades in windows of 5 s that advance by 1 s."""
    topic = f"trades-{records}"
    return Workload(
        "stock-stats", (topic,), records, lambda: _produced(topic, trades(records)), checksum=WINDOWS_PER_TRADE * records
    )


def word_count(records: int) -> Workload:
    """Return the count of words in lines."""
    topic, words = f"lines-{records}", sum(line.count(" ") + 1 for _, line, _, _ in lines(records))
    return Workload("word-count", (topic,), records, lambda: _produced(topic, lines(records)), checksum=words)


def write(settings: KafkaSettings, workload: Workload) -> None:
    """Create the input topics of a workload and write their records, unless they exist."""
    created = [Topics(settings).create(topic, PARTITIONS) for topic in workload.topics]
    if all(created):
        produce(settings, workload.generate())


def checked(settings: KafkaSettings, workload: Workload, topic: str) -> tuple[int, int]:
    """Return the number of results in a topic and their checksum."""
    log, results = KafkaEventLog(settings), 0

    def counted() -> Iterator[LogRecord]:
        nonlocal results
        for number in range(log.partitions(topic)):
            for batch in log.read(topic, number, 0, log.end_offset(topic, number)):
                results += len(batch)
                yield from batch

    try:
        checksum = workload.check(counted())
    finally:
        log.close()
    return results, checksum


def _produced(topic: str, records: Iterable[Record]) -> Iterator[Produced]:
    return (Produced(topic, *record) for record in records)
