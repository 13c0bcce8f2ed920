"""Chooses the partitions of records that do not name theirs."""

import importlib
import time
from collections.abc import Callable
from typing import TypeAlias, cast

from eddyline.adapters.kafka.errors import KafkaSettingsError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.application.ports.event_sink import InvalidTopicError, Results, SinkRecord

Partitioner: TypeAlias = Callable[[SinkRecord, int], int]
"""Returns the partition of a record, given the number of partitions of its topic."""

CHOSEN_BY_CLIENT = -1
STRATEGIES = ("by-key", "round-robin")

_CLIENT_PARTITIONERS = ("murmur2_random", "murmur2", "consistent_random", "consistent", "fnv1a_random", "fnv1a", "random")
_COUNT_TTL_S = 60.0


def find_partitioner(name: str, settings: KafkaSettings) -> tuple[str | Partitioner, KafkaSettings]:
    """Return the partitioner of this name, and the settings to use with it.

    Args:
        name: One of STRATEGIES, a partitioner of the client (`fnv1a_random`, …), or `MODULE:FUNCTION`.
        settings: The settings of the producer.

    Raises:
        KafkaSettingsError: there is no such partitioner.
    """
    if name in STRATEGIES:
        return name, settings
    if name in _CLIENT_PARTITIONERS:
        return STRATEGIES[0], settings.with_values({"partitioner": name})
    module, colon, function = name.partition(":")
    if not colon:
        choices = ", ".join((*STRATEGIES, *_CLIENT_PARTITIONERS))
        raise KafkaSettingsError(f"unknown partitioner '{name}'; choose one of: {choices}, or MODULE:FUNCTION")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise KafkaSettingsError(f"partitioner '{name}' cannot be imported: {error}") from None
    if not callable(found):
        raise KafkaSettingsError(
            f"partitioner '{name}' is not a function but {found!r}; name one that takes (record, partitions)"
        )
    return cast("Partitioner", found), settings


def check_partitioner(partitioner: str | Partitioner) -> None:
    """Raise KafkaSettingsError if the partitioner is neither one of STRATEGIES nor a function."""
    if isinstance(partitioner, str) and partitioner not in STRATEGIES:
        raise KafkaSettingsError(f"unknown partitioner {partitioner!r}; choose one of: {', '.join(STRATEGIES)}, or a function")


class Partitioning:
    """Chooses partitions with a strategy or a function.

    With `by-key` (the default) records go by the murmur2 hash of their key, as with Kafka's own clients, and records without
    a key in turn; if the settings name a `partitioner` of the client (`consistent_random`, …), the client chooses for all of
    them. With `round-robin` all records go in turn. A partition count is looked up again after a minute.

    Args:
        partitioner: One of STRATEGIES, or a function.
        settings: The settings of the producer.
        partition_count: Returns the number of partitions of a topic, which had at least so many when it was called before.

    Raises:
        KafkaSettingsError: the strategy is unknown.
    """

    def __init__(
        self, partitioner: str | Partitioner, settings: KafkaSettings, partition_count: Callable[[str, int], int]
    ) -> None:
        check_partitioner(partitioner)
        self._partitioner = partitioner
        self._client_chooses_all = "partitioner" in settings.producer()
        self._look_up = partition_count
        self._counts: dict[str, tuple[int, float]] = {}
        self._first_turn = 0
        self._turns: dict[str, int] = {}
        self._checked_topic: str | None = None
        self._client_chooses_by_key = partitioner == "by-key"

    def begin_batch(self, first_turn: int) -> None:
        """Begin a batch: the turns of each topic start at `first_turn`, so that a repeated batch is distributed alike."""
        self._first_turn = first_turn
        self._turns.clear()
        self._checked_topic = None

    def choose(self, record: SinkRecord) -> int:
        """Return the partition of a record, or CHOSEN_BY_CLIENT.

        Raises:
            UnknownTopicError: the topic does not exist.
            ValueError: the topic does not have the partition that the record or the function names.
        """
        topic, key, _, _, _, partition = record
        if topic != self._checked_topic:
            self.count(topic)
            self._checked_topic = topic
        if partition is None and key is not None and self._client_chooses_by_key:
            return CHOSEN_BY_CLIENT
        if partition is not None:
            return self._checked(topic, partition)
        if callable(self._partitioner):
            return self._checked(topic, self._partitioner(record, self.count(topic)))
        if self._client_chooses_by_key and self._client_chooses_all:
            return CHOSEN_BY_CLIENT
        turn = self._turns.get(topic, self._first_turn)
        self._turns[topic] = turn + 1
        return turn % self.count(topic)

    def choose_for_all(self, results: Results) -> int | None:
        """Return the partition of all records, or CHOSEN_BY_CLIENT; None if `choose` has to be called for each of them."""
        topic, keys, _, _, _, partition = results
        if partition is not None:
            return self._checked(topic, partition)
        if not (self._client_chooses_by_key and all(keys)):
            return None
        self.count(topic)
        return CHOSEN_BY_CLIENT

    def count(self, topic: str) -> int:
        """Return the number of partitions of the topic. Raises UnknownTopicError."""
        known = self._counts.get(topic)
        if known is None or known[1] < time.monotonic():
            known = self._refresh(topic)
        return known[0]

    def _checked(self, topic: str, partition: int) -> int:
        if 0 <= partition < self.count(topic):
            return partition
        count = self._refresh(topic)[0]
        if 0 <= partition < count:
            return partition
        raise InvalidTopicError(f"topic '{topic}' has no partition {partition}; it has 0 to {count - 1}")

    def _refresh(self, topic: str) -> tuple[int, float]:
        before, _ = self._counts.get(topic, (1, 0.0))
        known = self._counts[topic] = (self._look_up(topic, before), time.monotonic() + _COUNT_TTL_S)
        return known
