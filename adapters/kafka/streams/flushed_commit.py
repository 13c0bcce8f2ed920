"""A commit without a transaction: the records of the tasks follow when all others are acknowledged, then the offsets."""

from collections.abc import Mapping, Sequence

from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as ClientPartition

from eddyline.adapters.kafka.clients.deadline import Deadline
from eddyline.adapters.kafka.errors import BrokerUnavailableError, DeliveryError
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.partitioning import Partitioning
from eddyline.adapters.kafka.sink.record_sender import RecordSender
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.event_sink import SinkRecord


class FlushedCommit:
    """One commit.

    Args:
        settings: Settings of the clients.
        producer: The producer that has sent the first results of the commit.
        sender: Sends its records.
        partitioning: Chooses the partitions of records.
        consumer: Commits the offsets of the group.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        producer: Producer,
        sender: RecordSender,
        partitioning: Partitioning,
        consumer: Consumer,
    ) -> None:
        self._settings, self._producer, self._sender, self._partitioning = settings, producer, sender, partitioning
        self._consumer = consumer
        self._last: Sequence[SinkRecord] = ()
        self._offsets: list[ClientPartition] = []

    def begin(
        self, records: Sequence[SinkRecord], last: Sequence[SinkRecord], positions: Mapping[TopicPartition, int]
    ) -> "FlushedCommit":
        """Send the rest of the results and the changes of stores; the arguments are those of `Commits.write`."""
        self._sender.send(self._producer, records, self._partitioning)
        self._last, self._offsets = last, [ClientPartition(*partition, offset) for partition, offset in positions.items()]
        return self

    def advance(self) -> bool:
        """Go on if everything that was sent is acknowledged; return whether the commit is complete.

        Raises:
            RecordsRejectedError: the brokers reject records.
            BrokerUnavailableError: records have timed out.
        """
        self._producer.poll(0)
        if len(self._producer):
            return False
        raise_failures(self._sender)
        if self._last:
            self._send_last()
            return False
        self._complete()
        return True

    def finish(self, deadline: Deadline) -> None:
        """Wait until the commit is complete; raises what `advance` raises."""
        self._wait(deadline)
        if self._last:
            self._send_last()
            self._wait(deadline)
        self._complete()

    def _send_last(self) -> None:
        last, self._last = self._last, ()
        self._sender.send(self._producer, last, self._partitioning)

    def _wait(self, deadline: Deadline) -> None:
        wait_for_acknowledgements(self._settings, self._producer, self._sender, deadline)

    def _complete(self) -> None:
        if self._offsets:
            self._consumer.commit(offsets=self._offsets, asynchronous=True)


def wait_for_acknowledgements(settings: KafkaSettings, producer: Producer, sender: RecordSender, deadline: Deadline) -> None:
    """Wait until the brokers have acknowledged what was sent. Raises RecordsRejectedError and BrokerUnavailableError."""
    while producer.flush(1.0):
        sender.raise_rejected()
        if deadline.has_passed():
            raise BrokerUnavailableError(
                f"results were not acknowledged at {settings.bootstrap_servers} in time; check that the brokers are running and"
                " reachable"
            )
    raise_failures(sender)


def raise_failures(sender: RecordSender) -> None:
    """Raise RecordsRejectedError or BrokerUnavailableError if records that were sent have failed."""
    sender.raise_rejected()
    try:
        sender.raise_failed()
    except DeliveryError as error:
        raise BrokerUnavailableError(str(error)) from None
