"""The notifier: sends alerts to people, for example by e-mail."""

from abc import ABC, abstractmethod
from typing import NamedTuple


class Alert(NamedTuple):
    """One message to one recipient.

    Attributes:
        id: Identifies the alert; it is the same however often the alert is created.
        recipient: An e-mail address, or any name for notifiers that do not send mail.
        subject: One line of text.
        body: Text of any length.
    """

    id: str
    recipient: str
    subject: str
    body: str


class NotifierUnavailableError(RuntimeError):
    """A temporary failure: the alert is fine and can be sent later. The message says what does not work."""


class AlertRefusedError(RuntimeError):
    """A permanent failure: the alert, its sender or its recipient was rejected. The message says why."""


class Notifier(ABC):
    """Sends alerts, at least once.

    A notifier keeps no history: the caller records the id of each alert after it was sent and does not send it again
    (see `application/operations/alert.py`). A duplicate is possible only if the process or the connection fails between the
    moment the receiving system accepts the alert and the moment its id is recorded. Adapters pass the id on where the protocol
    allows it, so that the receiving system can recognize a duplicate.
    """

    @abstractmethod
    def send(self, alert: Alert) -> None:
        """Send an alert; when this returns, the receiving system has accepted it.

        Raises:
            NotifierUnavailableError: the alert could not be sent now; try again later.
            AlertRefusedError: the alert cannot be sent; trying again does not help.
        """

    def close(self) -> None:
        """Release connections and other resources; the instance can be used again afterwards."""
