"""Alerts in memory, for tests."""

from eddyline.application.ports.notifier import Alert, Notifier


class MemoryNotifier(Notifier):
    """Keeps what was sent in `sent`, in order."""

    def __init__(self) -> None:
        self.sent: list[Alert] = []

    def send(self, alert: Alert) -> None:
        self.sent.append(alert)
