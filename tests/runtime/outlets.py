"""An outlet that collects what a task sends."""

from typing import NamedTuple

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import SinkRecord
from eddyline.application.runtime.record_collector import Results


class Sent(NamedTuple):
    """The arguments of a call of `send`."""

    record: SinkRecord
    arrival: int
    to: TopicPartition | None


class ListOutlet:
    """Lists the records that were sent one by one, and those that were sent together."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.results: list[Results] = []

    def send(self, record: SinkRecord, arrival: int, to: TopicPartition | None = None) -> None:
        self.sent.append(Sent(record, arrival, to))

    def send_all(self, results: Results) -> None:
        self.results.append(results)

    def values(self, topic: str) -> list[bytes | None]:
        """Return the values of a topic; those sent together come first."""
        together = [value for results in self.results if results.topic == topic for value in results.values]
        return together + [sent.record.value for sent in self.sent if sent.record.topic == topic]
