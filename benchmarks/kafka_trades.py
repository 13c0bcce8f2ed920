"""The Kafka side of a benchmark: a broker, a topic of trades, and the number of results."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from benchmarks.producing import Produced, produce
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.adapters.services.artifacts import Artifacts
from eddyline.adapters.services.broker import Broker

ROOT: Final = Path(__file__).resolve().parents[1]
START_MS: Final = 1_700_000_000_000
TRADES_PER_MS: Final = 20
PARTITIONS: Final = 4
_POLL_S: Final = 0.5
_SETTLING_TIMEOUT_S: Final = 60.0


@contextmanager
def broker(folder: Path, bootstrap_servers: str | None = None) -> Iterator[KafkaSettings]:
    """Yield the settings for these brokers or, if there are none, for a broker that is stopped at the end of the block."""
    if bootstrap_servers is not None:
        yield KafkaSettings({"bootstrap.servers": bootstrap_servers})
        return
    started = Broker(Artifacts(ROOT / ".services" / "parts"), folder / "broker")
    started.start()
    try:
        yield KafkaSettings({"bootstrap.servers": started.bootstrap_servers})
    finally:
        started.stop()


def write_trades(settings: KafkaSettings, topic: str, first: int, count: int, *, tickers: int = 100) -> None:
    """Append trades as JSON, keyed by ticker, in the order of their timestamps; create the topic if it does not exist.

    Args:
        settings: The brokers.
        topic: The topic.
        first: The number of the first trade, which determines its timestamp.
        count: How many trades.
        tickers: How many different keys.
    """
    Topics(settings).create(topic, PARTITIONS)
    produce(settings, _trades(topic, range(first, first + count), tickers))


def _trades(topic: str, numbers: range, tickers: int) -> Iterator[Produced]:
    chance = random.Random(numbers.start)
    names = [f"T{number:03}" for number in range(tickers)]
    for number in numbers:
        ticker = chance.choice(names)
        price, size = chance.uniform(10, 200), chance.randrange(1, 1_000)
        value = f'{{"type":"ASK","ticker":"{ticker}","price":{price:.2f},"size":{size}}}'
        yield Produced(topic, ticker, value, START_MS + number // TRADES_PER_MS)


def count_records(settings: KafkaSettings, topic: str) -> int:
    """Read all committed records of the topic, once no transaction is open, and return their number."""
    _wait_until_settled(settings, topic)
    log = KafkaEventLog(settings)
    try:
        return sum(
            len(batch)
            for number in range(log.partitions(topic))
            for batch in log.read(topic, number, 0, log.end_offset(topic, number))
        )
    finally:
        log.close()


def _wait_until_settled(settings: KafkaSettings, topic: str) -> None:
    """Wait until the brokers have written the markers of all committed transactions."""
    committed, uncommitted = KafkaEventLog(settings), KafkaEventLog(settings.with_values({"isolation.level": "read_uncommitted"}))
    for number in range(committed.partitions(topic)):
        high_watermark = uncommitted.end_offset(topic, number)
        deadline = time.monotonic() + _SETTLING_TIMEOUT_S
        while committed.end_offset(topic, number) < high_watermark and time.monotonic() < deadline:
            time.sleep(_POLL_S)
    committed.close()
    uncommitted.close()
