"""The record of sent alerts: which alerts were sent, and how far each partition was read."""

from abc import ABC, abstractmethod


class SentAlertsInUseError(RuntimeError):
    """Another process sends the same alerts and holds the lock; the message names the file and what to do."""


class SentAlerts(ABC):
    """The ids of the alerts that were sent, and the next offset to read of each partition.

    One instance at a time may be in use: the first call locks the record, `close` unlocks it.
    Every method raises SentAlertsInUseError if another process holds the lock.
    """

    @abstractmethod
    def has(self, alert_id: str) -> bool:
        """Return whether the alert was sent."""

    @abstractmethod
    def position(self, topic: str, partition: int) -> int:
        """Return the next offset to read of a partition, 0 if none was recorded."""

    @abstractmethod
    def mark_sent(self, alert_id: str, topic: str, partition: int, position: int) -> None:
        """Record that an alert was sent and that the partition was read up to `position`; durable and atomic.

        Args:
            alert_id: The id of the alert; recording it again changes nothing.
            topic: The topic of the record that the alert was created from.
            partition: The partition of that record.
            position: The next offset to read; it may be lower than before, since a topic may have been recreated.
        """

    def close(self) -> None:
        """Release the lock and other resources; the instance can be used again afterwards."""
