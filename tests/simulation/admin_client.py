"""The admin client of confluent-kafka, over the simulated brokers."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from confluent_kafka import IsolationLevel, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import OffsetSpec  # type: ignore[attr-defined] # public, but not in __all__

from tests.simulation.clients import Client
from tests.simulation.network import Network

_REQUEST_S = 30.0


class AdminClient(Client):
    """An admin client."""

    def create_topics(self, topics: Iterable[Any], **_timeouts: float) -> dict[str, Any]:
        return {
            found.topic: _Future(self._network, "create topic", self._broker.create_topic, found.topic, found.num_partitions)
            for found in topics
        }

    def create_partitions(self, topics: Iterable[Any], **_timeouts: float) -> dict[str, Any]:
        return {
            found.topic: _Future(self._network, "add", self._broker.add_partitions, found.topic, found.new_total_count)
            for found in topics
        }

    def delete_topics(self, topics: Iterable[str], **_timeouts: float) -> dict[str, Any]:
        return {topic: _Future(self._network, "delete topic", self._broker.delete_topic, topic) for topic in topics}

    def describe_cluster(self, **_timeouts: float) -> Any:
        return _Future(self._network, "describe cluster", lambda: SimpleNamespace(cluster_id="simulated"))

    def describe_topics(self, topics: Any, **_timeouts: float) -> dict[str, Any]:
        return {topic: _Future(self._network, "describe topic", self._described, topic) for topic in topics.topic_names}

    def list_offsets(self, partitions: dict[Any, Any], *, isolation_level: Any, **_timeouts: float) -> dict[Any, Any]:
        committed = isolation_level == IsolationLevel.READ_COMMITTED
        return {
            at: _Future(self._network, f"offset of {at.topic}-{at.partition}", self._offset, at, spec, committed)
            for at, spec in partitions.items()
        }

    def _offset(self, at: TopicPartition, spec: Any, committed: bool) -> Any:
        end = self._broker.end(at.topic, at.partition, committed=committed)
        return SimpleNamespace(offset=end if spec == OffsetSpec.latest() else 0)  # type: ignore[no-untyped-call]

    def _described(self, topic: str) -> Any:
        if topic not in self._broker.ids:
            raise KafkaException(KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART))
        return SimpleNamespace(topic_id=self._broker.ids[topic])


class _Future:
    """A request that is sent when its result is asked for."""

    def __init__(self, network: Network, name: str, request: Any, *arguments: Any) -> None:
        self._network, self._name, self._request, self._arguments = network, name, request, arguments

    def result(self) -> Any:
        return self._network.call(self._name, lambda: self._request(*self._arguments), _REQUEST_S)
