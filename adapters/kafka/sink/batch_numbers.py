"""The number of the last batch that each slot of a writer has written, stored as committed offsets of a consumer group.

The group is `<writer>-batches`, and so is the topic whose partition numbers are the slots. Nothing is ever written to the
topic, but brokers accept committed offsets only for partitions that exist. Brokers delete the offsets of a group without
commits after `offsets.retention.minutes` (7 days by default): an interrupted batch must be repeated before that.
"""

from confluent_kafka import Consumer, TopicPartition

from eddyline.adapters.kafka.clients.broker_errors import broker_errors, raise_partition_errors
from eddyline.adapters.kafka.clients.factory import new_consumer
from eddyline.adapters.kafka.metadata import partition_count
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics
from eddyline.application.ports.event_log import UnknownTopicError

_MIN_PARTITIONS = 4
_STABLE_OFFSETS = {"isolation.level": "read_committed"}
"""Reading the offset of a slot must wait for its open transaction, however the records of topics are read."""


def batches_name(writer: str) -> str:
    """Return the name of the group and of the topic."""
    return f"{writer}-batches"


def newest_batch(settings: KafkaSettings, writer: str) -> int | None:
    """Return the greatest number in the slots of a writer, None if there is none; open transactions are not waited for.

    Raises:
        BrokerError: the numbers cannot be read.
    """
    name = batches_name(writer)
    consumer = new_consumer(settings, name, fixed={"isolation.level": "read_uncommitted"})
    try:
        slots = partition_count(settings, consumer, name)
        with broker_errors(settings, f"read the last batches from group {name!r}", consumer):
            partitions = [TopicPartition(name, slot) for slot in range(slots)]
            found = consumer.committed(partitions, timeout=settings.request_timeout_s)
            raise_partition_errors(found)
    except UnknownTopicError:
        return None
    finally:
        consumer.close()
    return max((partition.offset for partition in found if partition.offset >= 0), default=None)


class BatchNumbers:
    """The batch numbers of all slots of one writer."""

    def __init__(self, settings: KafkaSettings, writer: str) -> None:
        self._settings = settings
        self._name = batches_name(writer)
        self._topics = Topics(settings)
        self._consumer: Consumer = new_consumer(settings, self._name, fixed=_STABLE_OFFSETS)
        self._partitions = 0

    def ensure_slot(self, slot: int) -> None:
        """Create the topic, or add partitions to it, so that the slot's number can be stored. Raises BrokerError."""
        if slot >= self._partitions:
            wanted = max(_MIN_PARTITIONS, 1 << slot.bit_length())
            self._topics.ensure_partitions(self._name, wanted)
            self._partitions = wanted

    def last(self, slot: int, timeout_s: float) -> int | None:
        """Return the last batch that the slot has written, None before the first.

        Waits for an open transaction that contains a number of this slot.

        Args:
            slot: The slot.
            timeout_s: How many seconds to wait.

        Raises:
            BrokerError: the number cannot be read; BrokerUnavailableError if the transaction is still open at the timeout.
        """
        with broker_errors(self._settings, f"read the last batch of slot {slot} from group {self._name!r}", self._consumer):
            found = self._consumer.committed([TopicPartition(self._name, slot)], timeout=timeout_s)
            raise_partition_errors(found)
        offset: int = found[0].offset
        return offset if offset >= 0 else None

    def as_offsets(self, slot: int, batch: int) -> list[TopicPartition]:
        """Return the offsets that store the number of a batch."""
        return [TopicPartition(self._name, slot, batch)]

    def group_metadata(self) -> object:
        """Return what a transaction needs to commit offsets of the group."""
        return self._consumer.consumer_group_metadata()

    def close(self) -> None:
        """Close the consumer."""
        self._consumer.close()
