"""A notifier that collects alerts in memory, for tests."""

from eddyline.application.ports.notifier import Alert, Notifier


class MemoryNotifier(Notifier):
    """Appends alerts to the list `sent`."""

    def __init__(self) -> None:
        self.sent: list[Alert] = []

    def send(self, alert: Alert) -> None:
        self.sent.append(alert)
