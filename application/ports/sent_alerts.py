"""What is remembered of alerts that were sent, so that none is sent twice."""

from abc import ABC, abstractmethod


class SentAlertsInUseError(RuntimeError):
    """Somebody else sends the alerts that these notes are about; the message names the place and the cure."""


class SentAlerts(ABC):
    """The ids of alerts that were sent, and how far each partition of each topic was read. Only one user at a time has them."""

    @abstractmethod
    def has(self, alert: str) -> bool:
        """Whether the alert of this id was sent."""

    @abstractmethod
    def position(self, topic: str, partition: int) -> int:
        """The offset up to which the partition was read, 0 at first."""

    @abstractmethod
    def note(self, alert: str, topic: str, partition: int, position: int) -> None:
        """Remembers, durably and both or nothing, that the alert was sent and that the partition was read up to `position`."""

    def close(self) -> None:
        """Lets go of what the notes hold open, so that somebody else may have them."""
