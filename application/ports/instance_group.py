"""The instances of an application that share the partitions of its changelogs among them."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence

from eddyline.application.ports.event_log import TopicPartition


class InstanceGroup(ABC):
    """A group of instances; each partition of the topics is assigned to one of them.

    Partitions move when an instance joins or leaves. An instance that dies is noticed, and its partitions move then.
    """

    @abstractmethod
    def start(self, host: str, topics: Sequence[str]) -> None:
        """Join the group.

        Args:
            host: The address `HOST:PORT` at which the others reach this instance.
            topics: The topics whose partitions are shared; those that do not exist yet are when they do.
        """

    @abstractmethod
    def held(self) -> Collection[TopicPartition] | None:
        """Return the partitions that are assigned to this instance, None while it is no member."""

    @abstractmethod
    def members(self) -> Mapping[str, Collection[TopicPartition]]:
        """Return the partitions of each instance by its address, as they were known about a second ago."""

    @abstractmethod
    def close(self) -> None:
        """Leave the group, so that the partitions move to the others at once."""
