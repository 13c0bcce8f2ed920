"""The events of NEXMark in Kafka."""

import json
import sys
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from benchmarks.kafka_trades import ROOT
from benchmarks.producing import Produced, produce
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics as KafkaTopics

sys.path[:0] = [str(ROOT / "examples" / "nexmark")]
from nexmark.generator import Simulation  # noqa: E402 - found by the line above

PARTITIONS: Final = 4
_DELAY_US: Final = 1_000


class Topics(NamedTuple):
    """The names of the topics, and how many records each has."""

    names: dict[str, str]
    records: dict[str, int]

    @classmethod
    def named_by_kind(cls) -> "Topics":
        """Return topics without records, which have the names of the kinds of events."""
        kinds = ("person", "auction", "bid")
        return cls({kind: kind for kind in kinds}, dict.fromkeys(kinds, 0))


def write_events(settings: KafkaSettings, count: int, kinds: Collection[str]) -> Topics:
    """Create the topics and write events as JSON, keyed by the id of the person or the auction; return the topics.

    Args:
        settings: The brokers.
        count: The number of events.
        kinds: The kinds of events that are written: `person`, `auction`, `bid`.
    """
    topics = Topics.named_by_kind()
    for name in topics.names.values():
        KafkaTopics(settings).create(name, PARTITIONS)
    produce(settings, records_of(count, kinds, topics))
    return topics


def read_once(settings: KafkaSettings, topics: Topics) -> None:
    """Read all events, so that the brokers have compiled what they need for it before a program is measured."""
    log = KafkaEventLog(settings)
    for topic in topics.names.values():
        for partition, (begin, end) in enumerate(log.topic_bounds([topic])[topic]):
            for _ in log.read(topic, partition, begin, end):
                pass
    log.close()


def records_of(count: int, kinds: Collection[str], topics: Topics) -> Iterator[Produced]:
    """Yield the records of those of `count` events that are of some kinds, and count them by topic."""
    for event in Simulation(seed=3, events=count, delay_us=_DELAY_US).arrivals():
        if event.topic not in kinds:
            continue
        topics.records[event.topic] += 1
        value = json.dumps(event.json_value(), separators=(",", ":"))
        yield Produced(topics.names[event.topic], str(event.key), value, event.timestamp)
