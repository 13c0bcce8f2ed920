"""Which instance of an application holds which key, as the metadata of Kafka Streams says it (KIP-67, KIP-535)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class InstanceMetadata:
    """An instance and what it holds, as `StreamsMetadata` of Kafka Streams.

    Attributes:
        host: Where it can be asked, `HOST:PORT`: its setting `application.server`.
        stores: The partitions that it holds of each store.
    """

    host: str
    stores: Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class KeyMetadata:
    """Where a key is, as `KeyQueryMetadata` of Kafka Streams.

    Attributes:
        host: The instance that holds the key.
        partition: The partition of the store that holds it, None if the instance holds all of them.
    """

    host: str
    partition: int | None = None


class Hosts(ABC):
    """The instances of an application."""

    @property
    @abstractmethod
    def this_host(self) -> str:
        """The address of this instance, one of `instances`."""

    @abstractmethod
    def instances(self) -> Sequence[InstanceMetadata]:
        """Return all instances, sorted by host."""

    @abstractmethod
    def of_key(self, store: str, key: Any) -> KeyMetadata:
        """Return where a key is.

        Raises:
            UnknownStoreError: there is no such store.
        """


class SingleHost(Hosts):
    """One instance that holds all keys of all stores; `partitions` returns the number of partitions of each store."""

    def __init__(self, host: str, partitions: Callable[[], Mapping[str, int]]) -> None:
        self._host = host
        self._partitions = partitions

    @property
    def this_host(self) -> str:
        """The address of this instance."""
        return self._host

    def instances(self) -> Sequence[InstanceMetadata]:
        """Return this instance."""
        return [InstanceMetadata(self._host, {store: range(count) for store, count in self._partitions().items()})]

    def of_key(self, store: str, key: Any) -> KeyMetadata:
        """Return this instance for every key."""
        del store, key
        return KeyMetadata(self._host)
