"""Which partition a record goes to, where the record does not say."""

import importlib
import time
from collections.abc import Callable
from typing import TypeAlias, cast

from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_sink import SinkRecord

Partitioner: TypeAlias = Callable[[SinkRecord, int], int]
"""Gets a record and the number of partitions of its topic, gives the partition's number."""

CLIENT_DECIDES = -1
RULES = ("by-key", "round-robin")
CLIENT_DEFAULTS = {"partitioner": "murmur2_random"}
"""Java's default partitioner, which is not the client's."""

_CLIENTS_OWN = ("murmur2_random", "murmur2", "consistent_random", "consistent", "fnv1a_random", "fnv1a", "random")
_COUNT_LASTS_S = 60.0


def partitioner_named(name: str, settings: KafkaSettings) -> tuple[str | Partitioner, KafkaSettings]:
    """The rule of this name and the settings with it: one of RULES, one of the client's own, or `MODULE:FUNCTION`.

    Raises KafkaSettingsError.
    """
    if name in RULES:
        return name, settings
    if name in _CLIENTS_OWN:
        return RULES[0], settings.with_values({"partitioner": name})
    module, colon, function = name.partition(":")
    if not colon:
        raise KafkaSettingsError(
            f"partitioner '{name}' is unknown; there are: {', '.join((*RULES, *_CLIENTS_OWN))}, or MODULE:FUNCTION"
        )
    try:
        return cast("Partitioner", getattr(importlib.import_module(module), function)), settings
    except (ImportError, AttributeError) as error:
        raise KafkaSettingsError(f"partitioner '{name}' cannot be imported: {error}") from None


class Partitioning:
    """Chooses partitions by the named rule or by a function.

    `by-key` (the default): by the key's murmur2 hash, as Kafka's own clients do; records without a key in turn.
    `round-robin`: all records in turn, whatever their keys. A function of one's own: a Partitioner.
    Where the settings name a `partitioner` of the client (`consistent_random`, `fnv1a`, …), that one decides for `by-key`.
    `partitions_of` tells how many partitions a topic has; the answer is believed for a minute.
    """

    def __init__(self, rule: str | Partitioner, settings: KafkaSettings, partitions_of: Callable[[str], int]) -> None:
        if isinstance(rule, str) and rule not in RULES:
            raise KafkaSettingsError(f"partitioner {rule!r} is unknown; the choices are: {', '.join(RULES)}, or a function")
        self._rule = rule
        self._client_decides_all = "partitioner" in settings.producer()
        self._partitions_of = partitions_of
        self._counts: dict[str, tuple[int, float]] = {}
        self._first_turn = 0
        self._turns: dict[str, int] = {}
        self._checked_topic: str | None = None
        self._keys_go_to_client = rule == "by-key"

    def begin(self, turn: int) -> None:
        """Begins a batch: in each topic the turn begins at `turn`, so that a repeated batch falls as it fell."""
        self._first_turn = turn
        self._turns.clear()
        self._checked_topic = None

    def choose(self, record: SinkRecord) -> int:
        """The partition of a record; CLIENT_DECIDES leaves it to the client.

        Raises ValueError for a partition that the topic does not have, UnknownTopicError.
        """
        topic, key, _, _, _, partition = record
        if topic != self._checked_topic:
            self.count(topic)
            self._checked_topic = topic
        if partition is None and key is not None and self._keys_go_to_client:
            return CLIENT_DECIDES
        if partition is not None:
            return self._checked(topic, partition)
        if callable(self._rule):
            return self._checked(topic, self._rule(record, self.count(topic)))
        if self._keys_go_to_client and self._client_decides_all:
            return CLIENT_DECIDES
        turn = self._turns.get(topic, self._first_turn)
        self._turns[topic] = turn + 1
        return turn % self.count(topic)

    def count(self, topic: str) -> int:
        """How many partitions the topic has. Raises UnknownTopicError."""
        known = self._counts.get(topic)
        if known is None or known[1] < time.monotonic():
            known = self._ask(topic)
        return known[0]

    def _checked(self, topic: str, partition: int) -> int:
        if 0 <= partition < self.count(topic):
            return partition
        count = self._ask(topic)[0]
        if 0 <= partition < count:
            return partition
        raise ValueError(f"topic '{topic}' has no partition {partition}; it has 0 to {count - 1}")

    def _ask(self, topic: str) -> tuple[int, float]:
        known = self._counts[topic] = (self._partitions_of(topic), time.monotonic() + _COUNT_LASTS_S)
        return known
