"""Notes of sent alerts in memory, for tests; they end with the process."""

from eddyline.application.ports.sent_alerts import SentAlerts


class MemorySentAlerts(SentAlerts):
    """Remembers ids and positions."""

    def __init__(self) -> None:
        self._alerts: set[str] = set()
        self._positions: dict[tuple[str, int], int] = {}

    def has(self, alert: str) -> bool:
        return alert in self._alerts

    def position(self, topic: str, partition: int) -> int:
        return self._positions.get((topic, partition), 0)

    def note(self, alert: str, topic: str, partition: int, position: int) -> None:
        self._alerts.add(alert)
        self._positions[topic, partition] = position
