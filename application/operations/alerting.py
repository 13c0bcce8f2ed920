"""Sends the records of a topic of alerts to somebody, each once.

A record becomes a letter, the letter's matter gives the alert's id, and the id is noted together with the place of the record
when the notifier has taken the alert. Whatever is interrupted, and however often records are written or read again, an alert
that is noted is not sent again. One that the notifier has taken but whose note was not written yet, because the process or
the machine stopped just there, is sent once more.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from eddyline.application.flows.alerts import AlertMessage
from eddyline.application.ports.codec import Codec, CodecError
from eddyline.application.ports.event_log import EventLog, LogRecord
from eddyline.application.ports.notifier import Alert, Notifier
from eddyline.application.ports.sent_alerts import SentAlerts

_SHOWN = 1_000
"""How many bytes of a record that cannot be read are shown."""


class Delivered(NamedTuple):
    """What was done.

    `sent` alerts left, `repeated` ones were about a matter that had been told before. `unreadable` records are told of too, as
    they are. `lost` offsets were let go of by the log before they were read.
    """

    sent: int = 0
    repeated: int = 0
    unreadable: int = 0
    lost: int = 0

    def plus(self, other: "Delivered") -> "Delivered":
        """Both together."""
        return Delivered(*(one + two for one, two in zip(self, other, strict=True)))


class AlertDelivery:
    """Takes the alerts of one topic to one recipient. `write` makes the letter of a key and a value.

    `delivered` tells what it has done so far, also when an error ended a pass.
    """

    def __init__(
        self,
        *,
        log: EventLog,
        topic: str,
        key_codec: Codec,
        value_codec: Codec,
        write: Callable[[Any, Any], AlertMessage],
        recipient: str,
        notifier: Notifier,
        notes: SentAlerts,
    ) -> None:
        self._log = log
        self._topic = topic
        self._decode_key = key_codec.decode
        self._decode_value = value_codec.decode
        self._write = write
        self._recipient = recipient
        self._notifier = notifier
        self._notes = notes
        self.delivered = Delivered()

    def deliver(self) -> None:
        """Sends what is there and not noted yet, partition by partition, in order.

        What was sent before an error stays noted. Raises what log, codecs (CodecUnavailableError), notifier and notes raise.
        """
        for partition in range(self._log.partitions(self._topic)):
            start, end, lost = self._range(partition)
            self._count(Delivered(lost=lost))
            for batch in self._log.read(self._topic, partition, start, end):
                for record in batch:
                    self._deliver(record)

    def _range(self, partition: int) -> tuple[int, int, int]:
        """Where to read from and to, and how many offsets are gone; a topic that was made anew is read from its beginning."""
        beginning = self._log.beginning_offset(self._topic, partition)
        end = self._log.end_offset(self._topic, partition)
        position = self._notes.position(self._topic, partition)
        if position > end:
            return beginning, end, 0
        return max(position, beginning), end, max(0, beginning - position) if position else 0

    def _deliver(self, record: LogRecord) -> None:
        letter, unreadable = self._letter(record)
        if letter is None:
            return
        matter = letter.identity or f"record {record.partition}/{record.offset}/{record.timestamp}"
        alert = Alert(f"{self._topic}/{matter}", self._recipient, letter.subject, letter.body)
        repeated = self._notes.has(alert.id)
        if not repeated:
            self._notifier.send(alert)
        self._notes.note(alert.id, self._topic, record.partition, record.offset + 1)
        self._count(Delivered(sent=not repeated, repeated=repeated, unreadable=unreadable))

    def _count(self, more: Delivered) -> None:
        self.delivered = self.delivered.plus(more)

    def _letter(self, record: LogRecord) -> tuple[AlertMessage | None, bool]:
        """The letter of a record, and whether it is about a record that cannot be read; no letter where there is no value."""
        try:
            if record.error is not None:
                return self._unreadable(record, record.error), True
            key, value = self._decode_key(record.key), self._decode_value(record.value)
        except CodecError as unfit:
            return self._unreadable(record, str(unfit)), True
        return None if value is None else self._write(key, value), False

    def _unreadable(self, record: LogRecord, reason: str) -> AlertMessage:
        place = f"partition {record.partition}, offset {record.offset}"
        shown = (record.value or b"")[:_SHOWN]
        return AlertMessage(
            None,
            f"{self._topic}: an alert that cannot be read",
            f"There is an alert in topic {self._topic}, {place}, that cannot be read: {reason}\n{shown!r}",
        )
