"""The work of the benchmarks: input topics with the same contents in every run, and what the results must add up to."""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Final

from benchmarks.kafka_trades import PARTITIONS, START_MS, TRADES_PER_MS
from benchmarks.producing import Produced, produce
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import LogRecord

WINDOWS_PER_TRADE: Final = 5
TICKERS: Final = 100
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


def trades(count: int, tickers: int = TICKERS, at_once: int | None = None) -> Iterator[Record]:
    """Yield trades as JSON, keyed by ticker, 20 in a millisecond.

    Args:
        count: How many trades.
        tickers: How many tickers.
        at_once: How many of them are traded at the same time, one such group after the other; None for all.
    """
    chance, group = random.Random(1), at_once or tickers
    groups = tickers // group
    for number in range(count):
        ticker = f"T{number * groups // count * group + chance.randrange(group):03}"
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


def stock_stats(records: int, tickers: int = TICKERS) -> Workload:
    """Return the aggregation of trades in windows of 5 s that advance by 1 s."""
    topic = f"trades-{records}-{tickers}"
    generate = partial(_produced, topic, trades, records, tickers)
    return Workload("stock-stats", (topic,), records, generate, checksum=WINDOWS_PER_TRADE * records)


def trade_stats(records: int, tickers: int = TICKERS) -> Workload:
    """Return the aggregation of the same trades without windows."""
    return replace(stock_stats(records, tickers), name="trade-stats", checksum=records)


def trade_stats_in_turn(records: int, tickers: int) -> Workload:
    """Return the aggregation without windows of trades of 100 tickers at a time."""
    topic = f"trades-{records}-{tickers}-in-turn"
    return Workload("trade-stats", (topic,), records, partial(_produced, topic, trades, records, tickers, TICKERS), records)


def word_count(records: int) -> Workload:
    """Return the count of words in lines."""
    topic, words = f"lines-{records}", sum(line.count(" ") + 1 for _, line, _, _ in lines(records))
    return Workload("word-count", (topic,), records, partial(_produced, topic, lines, records), checksum=words)


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


def _produced(topic: str, generate: Callable[..., Iterator[Record]], *sizes: int) -> Iterator[Produced]:
    return (Produced(topic, *record) for record in generate(*sizes))
