"""How somebody is told of something outside of the event log: by e-mail, on a screen."""

from abc import ABC, abstractmethod
from typing import NamedTuple


class Alert(NamedTuple):
    """One message. `id` is the same for the same alert, however often it is made; `subject` is one line, `body` any text."""

    id: str
    recipient: str
    subject: str
    body: str


class NotifierUnavailableError(RuntimeError):
    """The way to the recipient is closed now: nothing is wrong with the alert, try again later. The message says what is."""


class AlertRefusedError(RuntimeError):
    """The alert, its sender or its recipient was refused, and trying again will not help; the message says why."""


class Notifier(ABC):
    """Sends alerts. It does not remember them: who calls it notes the id of an alert once it was sent, and sends no id twice.

    `application/operations/alerting.py` does so. An alert is repeated only when the process ends, or the connection breaks,
    between the moment in which the other side takes the alert and the one in which its id is noted. Adapters that can pass
    the id on, so that such a repetition can be recognised on the other side, do.
    """

    @abstractmethod
    def send(self, alert: Alert) -> None:
        """Hands the alert over; when this returns, the other side has taken it.

        Raises NotifierUnavailableError and AlertRefusedError.
        """

    def close(self) -> None:
        """Lets go of what the notifier holds open; it may be used again afterwards."""
