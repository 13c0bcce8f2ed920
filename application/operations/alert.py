"""Sends the records of an alert topic to a recipient, each alert once.

Each record becomes a letter whose identity makes the id of the alert. Once the notifier has accepted the alert, its id is
recorded as sent, together with the position after the record. However often records are written or read again, an alert that
is recorded as sent is not sent again. An alert is sent twice only if the process stops after the notifier has accepted it and
before it is recorded.
"""

import dataclasses
import logging
from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, Final, NamedTuple

from eddyline.application.flows import alerts as declared
from eddyline.application.flows.alerts import AlertMessage
from eddyline.application.ports.availability import ServiceUnavailableError
from eddyline.application.ports.codec import Codec, CodecError, Codecs
from eddyline.application.ports.event_log import EventLog, LogRecord
from eddyline.application.ports.notifier import Alert, AlertRefusedError, Notifier, NotifierUnavailableError
from eddyline.application.ports.sent_alerts import SentAlerts, SentAlertsInUseError
from eddyline.application.topology import Topology
from eddyline.application.topology.types import UNKNOWN

LOGGER: Final = logging.getLogger("eddyline.alerts")

_LONGEST_BACKOFF_S: Final = 60.0
_TEMPORARY: Final = (NotifierUnavailableError, AlertRefusedError, SentAlertsInUseError, ServiceUnavailableError, OSError)
"""Errors after which the delivery is tried again beside a run."""
_MAX_SHOWN_BYTES = 1_000
"""How much of an undecodable record its alert shows."""


class DeliveryCounts(NamedTuple):
    """How many alerts were processed.

    Attributes:
        sent: Alerts that were sent.
        repeated: Alerts that were not sent, since an alert with the same id had been sent before.
        unreadable: Records that could not be decoded; each was sent or repeated as an alert that shows its raw bytes.
        lost: Offsets that the log deleted before they were read.
        failed: Alerts whose functions have raised, or whose recipient was refused, which a function had chosen.
    """

    sent: int = 0
    repeated: int = 0
    unreadable: int = 0
    lost: int = 0
    failed: int = 0

    def plus(self, other: "DeliveryCounts") -> "DeliveryCounts":
        """Return the sums of both counts."""
        return DeliveryCounts(*(one + two for one, two in zip(self, other, strict=True)))


class AlertDelivery:
    """Delivers the alerts of one topic to one recipient, or to those that a function chooses.

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
        recipient: str | Callable[[Any], str | None],
        notifier: Notifier,
        sent_alerts: SentAlerts,
    ) -> None:
        """Configure the delivery.

        Args:
            log: The event log.
            topic: The topic.
            key_codec: The codec of keys.
            value_codec: The codec of values.
            compose: Makes the letter of a record from its key and value.
            recipient: The recipient, or a function of the value that returns it, None for nobody.
            notifier: Sends alerts.
            sent_alerts: Remembers what was sent.
        """
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
        key, value, reason = self._decoded(record)
        if reason is None and value is None:
            return
        own = f"record {record.partition}/{record.offset}/{record.timestamp}"
        try:
            letter = self._compose(key, value) if reason is None else self._unreadable(record, reason)
            recipient = self._recipient_of(value, is_readable=reason is None)
        except Exception as error:
            if not callable(self._recipient):
                raise
            self._fail(record, own, f"its functions have raised {type(error).__name__}: {error}")
            return
        alert = Alert(f"{self._topic}/{letter.identity or own}", recipient or "", letter.subject, letter.body)
        repeated = self._sent_alerts.has(alert.id)
        if recipient is not None and not repeated:
            try:
                self._notifier.send(alert)
            except AlertRefusedError as refused:
                if not callable(self._recipient):
                    raise
                self._fail(record, own, str(refused))
                return
        if recipient is None:
            alert = alert._replace(id=f"{self._topic}/{own}")
        self._sent_alerts.mark_sent(alert.id, self._positions, record.partition, record.offset + 1)
        self._add(DeliveryCounts(sent=recipient is not None and not repeated, repeated=repeated, unreadable=reason is not None))

    def _recipient_of(self, value: Any, *, is_readable: bool) -> str | None:
        if not callable(self._recipient):
            return self._recipient
        if not is_readable:
            raise ValueError("the record could not be decoded, so nobody was chosen")
        return self._recipient(value)

    def _fail(self, record: LogRecord, own: str, reason: str) -> None:
        """Log that an alert cannot be sent; those after it can."""
        LOGGER.error("the alert in %s cannot be sent: %s", self._position(record), reason)
        self._sent_alerts.mark_sent(f"{self._topic}/{own}", self._positions, record.partition, record.offset + 1)
        self._add(DeliveryCounts(failed=1))

    def _add(self, counts: DeliveryCounts) -> None:
        self.counts = self.counts.plus(counts)

    def _decoded(self, record: LogRecord) -> tuple[Any, Any, str | None]:
        """Return the key and the value of a record, and why it cannot be read."""
        if record.error is not None:
            return None, None, record.error
        try:
            return self._decode_key(record.key), self._decode_value(record.value), None
        except CodecError as error:
            return None, None, str(error)

    def _position(self, record: LogRecord) -> str:
        return f"topic '{self._topic}', partition {record.partition}, offset {record.offset}"

    def _unreadable(self, record: LogRecord, reason: str) -> AlertMessage:
        shown = (record.value or b"")[:_MAX_SHOWN_BYTES]
        return AlertMessage(
            None,
            f"{self._topic}: unreadable alert",
            f"The alert in {self._position(record)} could not be read: {reason}\n{shown!r}",
        )


class FlowAlerts:
    """Delivers all alerts of a flow, beside its run or alone.

    Args:
        log: The event log.
        codecs: The codecs of its topics.
        topology: The topology of the flow.
        alerts: The alerts, of topics without the version of the topology.
        notifier: Returns what sends alerts through a channel; None is that of the settings.
        sent_alerts: Returns what remembers the sent alerts of a topic, given the topic and the name of the alert.
    """

    def __init__(
        self,
        log: EventLog,
        codecs: Codecs,
        topology: Topology,
        alerts: Sequence[declared.Alert],
        notifier: Callable[[declared.Channel | None], Notifier],
        sent_alerts: Callable[[str, str], SentAlerts],
    ) -> None:
        specs, codecs = {spec.name: spec for spec in topology.sink_topics}, codecs.configured(topology.type_choices)
        self._log = log
        self._opened: list[Notifier | SentAlerts] = []
        self._deliveries: list[AlertDelivery] = []
        written = [dataclasses.replace(alert, topic=topology.in_version(alert.topic)) for alert in alerts]
        self._topics = [alert.topic for alert in written]
        for alert in written:
            spec, notifying, sent = specs.get(alert.topic), notifier(alert.channel), sent_alerts(alert.topic, alert.name)
            self._opened += [notifying, sent]
            self._deliveries.append(
                AlertDelivery(
                    log=log,
                    topic=alert.topic,
                    key_codec=codecs.for_key(alert.topic, UNKNOWN if spec is None else spec.key_type),
                    value_codec=codecs.for_value(alert.topic, UNKNOWN if spec is None else spec.value_type),
                    compose=alert.message,
                    recipient=alert.to,
                    notifier=notifying,
                    sent_alerts=sent,
                )
            )

    @property
    def counts(self) -> DeliveryCounts:
        """What was delivered so far."""
        total = DeliveryCounts()
        for delivery in self._deliveries:
            total = total.plus(delivery.counts)
        return total

    def deliver(self) -> None:
        """Send all alerts that are in the topics now and were not sent yet; raises what `AlertDelivery.deliver` raises."""
        existing = set(self._log.topics())
        for topic, delivery in zip(self._topics, self._deliveries, strict=True):
            if topic in existing:
                delivery.deliver()

    def run(self, stopping: Event, *, poll_s: float = 1.0) -> None:
        """Deliver alerts until `stopping` is set, and then once more; a failure is logged and tried again with backoff.

        So a process takes over from another one that has sent the alerts, once that one ends.
        """
        wait = poll_s
        while True:
            is_last = stopping.is_set()
            try:
                self.deliver()
                wait = poll_s
            except _TEMPORARY as failure:
                wait = min(2 * wait, _LONGEST_BACKOFF_S)
                LOGGER.warning(
                    "alerts cannot be delivered: %s; %s", failure, "stopping" if is_last else f"retrying in {wait:.0f} s"
                )
            if is_last:
                return
            stopping.wait(wait)

    def close(self) -> None:
        """Close files and connections."""
        for opened in self._opened:
            opened.close()


def _name_of_positions(log: EventLog, topic: str) -> str:
    """Return the name under which positions are recorded: it has the id of the topic, so a recreated topic has none yet."""
    kind, cluster, ids = log.identity([topic])
    return f"{topic} ({kind} {cluster} {ids[topic]})" if ids[topic] else topic
