"""The record of sent alerts in memory, for tests."""

from eddyline.application.ports.sent_alerts import SentAlerts


class MemorySentAlerts(SentAlerts):
    """Ids and positions in a set and a dictionary."""

    def __init__(self) -> None:
        self._alert_ids: set[str] = set()
        self._positions: dict[tuple[str, int], int] = {}

    def has(self, alert_id: str) -> bool:
        return alert_id in self._alert_ids

    def position(self, topic: str, partition: int) -> int:
        return self._positions.get((topic, partition), 0)

    def mark_sent(self, alert_id: str, topic: str, partition: int, position: int) -> None:
        self._alert_ids.add(alert_id)
        self._positions[topic, partition] = position
