"""Which instance of an application holds which partitions, as the metadata of Kafka Streams says it (KIP-67, KIP-535)."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from eddyline.application.ports.instance_group import InstanceGroup


@dataclass(frozen=True)
class InstanceMetadata:
    """An instance and what it holds, as `StreamsMetadata` of Kafka Streams.

    Attributes:
        host: Where it can be asked, `HOST:PORT`: its setting `application.server`.
        stores: The partitions that it holds of each store.
    """

    host: str
    stores: Mapping[str, Sequence[int]]


class Hosts(ABC):
    """The instances of an application."""

    @property
    @abstractmethod
    def this_host(self) -> str:
        """The address of this instance, one of `instances`."""

    @abstractmethod
    def instances(self) -> Sequence[InstanceMetadata]:
        """Return all instances, sorted by host."""

    def others(self, store: str) -> Sequence[str]:
        """Return the addresses of the other instances that hold partitions of a store."""
        return [found.host for found in self.instances() if found.host != self.this_host and found.stores.get(store)]


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


class SharingHosts(Hosts):
    """Instances that share the partitions.

    Args:
        host: The address of this instance.
        groups: The group of each application, with its stores by their changelog topics.
    """

    def __init__(self, host: str, groups: Sequence[tuple[InstanceGroup, Mapping[str, str]]]) -> None:
        self._host = host
        self._groups = groups

    @property
    def this_host(self) -> str:
        """The address of this instance."""
        return self._host

    def instances(self) -> Sequence[InstanceMetadata]:
        """Return all instances, as they were known about a second ago, and this one as it is."""
        found: dict[str, dict[str, list[int]]] = {self._host: {}}
        for group, stores in self._groups:
            for host, held in group.members().items():
                of_host = found.setdefault(host, {})
                for topic, partition in sorted(held):
                    if topic in stores:
                        of_host.setdefault(stores[topic], []).append(partition)
        return [InstanceMetadata(host, found[host]) for host in sorted(found)]
