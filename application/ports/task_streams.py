"""What an engine in one process needs of a log besides the other ports: records as they come, commits, and a share of tasks."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from eddyline.application.ports.event_log import LogRecord, TopicPartition
from eddyline.application.ports.event_sink import SinkRecord


class Available(NamedTuple):
    """How far partitions can be read now.

    Args:
        ends: the offset after the last record, by partition; only of partitions that have changed.
        more: the partitions of which the log holds more records than that, or may.
        partial: whether the log holds more records, which are taken in the order of arrival.
    """

    ends: Mapping[TopicPartition, int] = MappingProxyType({})
    more: Collection[TopicPartition] = ()
    partial: bool = False


class Feed(ABC):
    """Reads the records of several partitions as they are appended."""

    @abstractmethod
    def seek(self, positions: Mapping[TopicPartition, int]) -> None:
        """Read exactly these partitions from now on, each from its offset on."""

    @abstractmethod
    def poll(self, timeout_s: float, limit: int) -> Available:
        """Return how far the partitions can be read; wait up to the timeout, in seconds, if there is nothing new.

        Announce about `limit` records more than before: of each partition in proportion to those that wait there, and at least
        one. Those of global tables do not count.
        """

    @abstractmethod
    def retract(self, positions: Mapping[TopicPartition, int]) -> None:
        """Announce the records from these offsets on again: they were not read."""

    @abstractmethod
    def read(self, topic: str, partition: int, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        """Read records that `poll` has announced, as `EventLog.read` does."""

    @abstractmethod
    def release(self, partition: TopicPartition, offset: int) -> None:
        """Forget the records before an offset: they are processed."""

    @abstractmethod
    def close(self) -> None:
        """Release connections."""


class CommitLostError(RuntimeError):
    """A commit failed because another process has taken over the tasks, or may have; the message says what happened."""


class Commits(ABC):
    """Writes what the tasks of this process have done since the last commit, as one unit."""

    @abstractmethod
    def open(self, numbers: Collection[int]) -> None:
        """Prepare commits of the tasks with these numbers, which this process holds now."""

    @abstractmethod
    def evict(self, numbers: Collection[int]) -> None:
        """End what earlier owners of the tasks with these numbers have begun and not finished, if they have."""

    @abstractmethod
    def send(self, records: Sequence[SinkRecord]) -> None:
        """Send records ahead of the commit to which they belong, if that is of use; errors are raised by `write`."""

    @abstractmethod
    def write(
        self, batch: int, records: Sequence[SinkRecord], last: Sequence[SinkRecord], positions: Mapping[TopicPartition, int]
    ) -> bool:
        """Write a commit durably.

        Args:
            batch: Its number; numbers increase from commit to commit.
            records: Results and changes of stores, beginning with those that were sent ahead.
            last: Records that are not visible before the others.
            positions: The next offset to read, by partition.

        Returns:
            False if it was written before.

        Raises:
            RejectedRecordsError: topics do not accept some of the records; the commit can be written again without them.
            CommitLostError: another process has taken over the tasks.
        """

    def begin(
        self, batch: int, records: Sequence[SinkRecord], last: Sequence[SinkRecord], positions: Mapping[TopicPartition, int]
    ) -> bool:
        """Begin to write a commit, if it can be written while the process goes on; else return False: `write` has to do it.

        The arguments are those of `write`. Only results may be sent until `is_written` returns True.
        """
        del batch, records, last, positions
        return False

    def is_written(self, *, wait: bool) -> bool:
        """Return whether the commit that was begun is written durably, with `wait` once it is.

        Raises:
            RejectedRecordsError: topics do not accept some of the records; `write` has to write the commit.
            CommitLostError: another process has taken over the tasks.
        """
        del wait
        return True

    @abstractmethod
    def is_settled(self, partition: TopicPartition) -> bool:
        """Return whether a partition, of which this process is the only writer, has nothing that may still become visible."""

    @abstractmethod
    def are_settled(self, inputs: Collection[TopicPartition]) -> bool:
        """Return whether no commit that has positions in these partitions, which only tasks of this process read, is unfinished.

        May wait for a second. What `is_settled` looks for may not have been sent yet.
        """

    @abstractmethod
    def close(self) -> None:
        """Abandon what was sent and not written, and release connections."""


class Membership(ABC):
    """The share of this process in the tasks of an application, which are numbered like partitions."""

    @abstractmethod
    def held(self) -> Collection[int] | None:
        """Return the numbers of the tasks that this process runs, none while it stands by; None while it joins.

        To be called often: other processes wait for the answer when tasks move. Before it returns fewer numbers than the last
        time, it calls `on_revoked`.

        Raises:
            CommitLostError: tasks were given to other processes meanwhile, so nothing of them can be committed any more.
        """

    @abstractmethod
    def close(self) -> None:
        """Give up the share, so that others take it over at once."""
