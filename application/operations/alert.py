"""Sends the records of an alert topic to a recipient, each alert once.

Each record becomes a letter whose identity makes the id of the alert. Once the notifier has accepted the alert, its id is
recorded as sent, together with the position after the record. However often records are written or read again, an alert that
is recorded as sent is not sent again. An alert is sent twice only if the process stops after the notifier has accepted it and
before it is recorded.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from eddyline.application.flows.alerts import AlertMessage
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import EventLog, LogRecord
from eddyline.application.ports.notifier import Alert, Notifier
from eddyline.application.ports.sent_alerts import SentAlerts

_MAX_SHOWN_BYTES = 1_000
"""How much of an undecodable record its alert shows."""


class DeliveryCounts(NamedTuple):
    """How many alerts were processed.

    Attributes:
        sent: Alerts that were sent.
        repeated: Alerts that were not sent, since an alert with the same id had been sent before.
        unreadable: Records that could not be decoded; each was sent or repeated as an alert that shows its raw bytes.
        lost: Offsets that the log deleted before they were read.
    """

    sent: int = 0
    repeated: int = 0
    unreadable: int = 0
    lost: int = 0

    def plus(self, other: "DeliveryCounts") -> "DeliveryCounts":
        """Return the sums of both counts."""
        return DeliveryCounts(*(one + two for one, two in zip(self, other, strict=True)))


class AlertDelivery:
    """Delivers the alerts of one topic to one recipient.

    Attributes:
        counts: What was delivered so far, including by a call of `deliver` that raised an error.
    """

    def __init__(
        self,
        *,
        log: EventLog,
        topic: str,
        key_codec: Codec,
        value_codec: Codec,
        compose: Callable[[Any, Any], AlertMessage],
        recipient: str,
        notifier: Notifier,
        sent_alerts: SentAlerts,
    ) -> None:
        """Configure the delivery; `compose` makes the letter of a record from its key and value."""
        self._log = log
        self._topic = topic
        self._decode_key = key_codec.decode
        self._decode_value = value_codec.decode
        self._compose = compose
        self._recipient = recipient
        self._notifier = notifier
        self._sent_alerts = sent_alerts
        self._positions = topic
        self.counts = DeliveryCounts()

    def deliver(self) -> None:
        """Send all alerts up to the present end of the topic that were not sent yet, partition by partition and in order.

        Alerts that were sent before an error stay recorded as sent.

        Raises:
            NotifierUnavailableError: the notifier does not work now; call `deliver` again later.
            CodecUnavailableError: a codec does not work now; call `deliver` again later.
            AlertRefusedError: an alert was rejected. The errors of log and sent alerts are raised too.
        """
        self._positions = _name_of_positions(self._log, self._topic)
        for partition in range(self._log.partitions(self._topic)):
            start, end, lost = self._range(partition)
            self._add(DeliveryCounts(lost=lost))
            for batch in self._log.read(self._topic, partition, start, end):
                for record in batch:
                    self._deliver(record)

    def _range(self, partition: int) -> tuple[int, int, int]:
        """Return the offsets to read from and to, and how many were lost; an emptied topic is read from its beginning."""
        beginning = self._log.beginning_offset(self._topic, partition)
        end = self._log.end_offset(self._topic, partition)
        position = self._sent_alerts.position(self._positions, partition)
        if position > end:
            return beginning, end, 0
        return max(position, beginning), end, max(0, beginning - position) if position else 0

    def _deliver(self, record: LogRecord) -> None:
        letter, unreadable = self._letter(record)
        if letter is None:
            return
        identity = letter.identity or f"record {record.partition}/{record.offset}/{record.timestamp}"
        alert = Alert(f"{self._topic}/{identity}", self._recipient, letter.subject, letter.body)
        repeated = self._sent_alerts.has(alert.id)
        if not repeated:
            self._notifier.send(alert)
        self._sent_alerts.mark_sent(alert.id, self._positions, record.partition, record.offset + 1)
        self._add(DeliveryCounts(sent=not repeated, repeated=repeated, unreadable=unreadable))

    def _add(self, counts: DeliveryCounts) -> None:
        self.counts = self.counts.plus(counts)

    def _letter(self, record: LogRecord) -> tuple[AlertMessage | None, bool]:
        """Return the letter of a record, None for a tombstone, and whether it is about an unreadable record."""
        try:
            if record.error is not None:
                return self._unreadable(record, record.error), True
            key, value = self._decode_key(record.key), self._decode_value(record.value)
        except CodecError as error:
            return self._unreadable(record, str(error)), True
        return None if value is None else self._compose(key, value), False

    def _unreadable(self, record: LogRecord, reason: str) -> AlertMessage:
        position = f"topic '{self._topic}', partition {record.partition}, offset {record.offset}"
        shown = (record.value or b"")[:_MAX_SHOWN_BYTES]
        return AlertMessage(
            None, f"{self._topic}: unreadable alert", f"The alert in {position} could not be read: {reason}\n{shown!r}"
        )


def _name_of_positions(log: EventLog, topic: str) -> str:
    """Return the name under which positions are recorded: it has the id of the topic, so a recreated topic has none yet."""
    kind, cluster, ids = log.identity([topic])
    return f"{topic} ({kind} {cluster} {ids[topic]})" if ids[topic] else topic
