"""An outlet that collects what a task sends."""

from typing import NamedTuple

from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import Results, SinkRecord
from eddyline.application.runtime.input.record_queue import NO_ARRIVAL


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
        self._values: list[tuple[str, bytes | None]] = []

    def send(self, record: SinkRecord, arrival: int, to: TopicPartition | None = None) -> None:
        self.sent.append(Sent(record, arrival, to))
        self._values.append((record.topic, record.value))

    def send_all(self, results: Results) -> None:
        self.results.append(results)
        self._values.extend((results.topic, value) for value in results.values)

    def send_to(self, records: Results, to: TopicPartition) -> None:
        for record in records.records():
            self.send(record, NO_ARRIVAL, to)

    def values(self, topic: str) -> list[bytes | None]:
        """Return the values that were sent to a topic, in order."""
        return [value for sent_to, value in self._values if sent_to == topic]
