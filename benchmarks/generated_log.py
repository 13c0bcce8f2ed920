"""An event log whose records are made when they are read, so that it costs neither disk nor much time."""

# ruff: noqa: D102 - the methods are described by their port

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Final

from eddyline.application.ports.event_log import EventLog, LogIdentity, LogRecord

TOPIC: Final = "payments"
PARTITIONS: Final = 4
_BATCH: Final = 10_000
_EPOCH_MS: Final = 1_700_000_000_000


class GeneratedLog(EventLog):
    """Payments: first one for each of `keys` accounts, then `more` for accounts at random; both numbers are of all partitions."""

    def __init__(self, keys: int, more: int) -> None:
        self._keys, self._records = keys // PARTITIONS, (keys + more) // PARTITIONS

    def topics(self) -> Sequence[str]:
        return [TOPIC]

    def partitions(self, topic: str) -> int:
        del topic
        return PARTITIONS

    def beginning_offset(self, topic: str, partition: int) -> int:
        del topic, partition
        return 0

    def end_offset(self, topic: str, partition: int) -> int:
        del topic, partition
        return self._records

    def identity(self, topics: Iterable[str]) -> LogIdentity:
        return LogIdentity("generated", "generated", dict.fromkeys(topics, "generated"))

    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        draw = random.Random(start)
        for first in range(start, end, _BATCH):
            offsets = range(first, min(first + _BATCH, end))
            yield [
                LogRecord(
                    topic, partition, offset, 1_700_000_000_000 + offset, b"account-%d-%09d" % (partition, account), b"12.5"
                )
                for offset, account in zip(offsets, self._accounts(first, draw), strict=False)
            ]

    def _accounts(self, first: int, draw: random.Random) -> Iterator[int]:
        return (offset if offset < self._keys else draw.randrange(self._keys) for offset in count(first))
