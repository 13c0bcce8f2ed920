"""The number of the last batch that a writer's slot has written, kept by Kafka as the committed offset of a group of its own.

The group is `<writer>-batches`, and so is the topic whose partition numbers are the slots; nothing is ever written to it, but
brokers take offsets only for partitions that exist. The brokers forget a group that rests for longer than their
`offsets.retention.minutes` (7 days by default): a batch that was interrupted must be repeated before that.
"""

from confluent_kafka import Consumer, TopicPartition

from eddyline.adapters.kafka.clients import broker_errors, new_consumer
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import Topics

_NONE_YET = 0
_LEAST_PARTITIONS = 4


def batches_name(writer: str) -> str:
    """The name of the group and of the topic."""
    return f"{writer}-batches"


class BatchNumbers:
    """The batch numbers of all slots of one writer."""

    def __init__(self, settings: KafkaSettings, writer: str) -> None:
        self._settings = settings
        self._name = batches_name(writer)
        self._topics = Topics(settings)
        self._consumer: Consumer = new_consumer(settings, self._name)
        self._partitions = 0

    def prepare(self, slot: int) -> None:
        """Makes sure that the slot's number can be kept."""
        if slot >= self._partitions:
            wanted = max(_LEAST_PARTITIONS, 1 << slot.bit_length())
            self._topics.ensure_partitions(self._name, wanted)
            self._partitions = wanted

    def last(self, slot: int, timeout_s: float) -> int | None:
        """The last batch the slot has written, None before the first.

        Waits while a transaction that holds a number of this slot is open, `timeout_s` at most.
        Raises BrokerUnavailableError when time is up.
        """
        with broker_errors(self._settings, f"read the last batch of slot {slot} from group {self._name!r}"):
            (found,) = self._consumer.committed([TopicPartition(self._name, slot)], timeout=timeout_s)
        offset: int = found.offset
        return offset if offset >= _NONE_YET else None

    def place(self, slot: int, batch: int) -> list[TopicPartition]:
        """The offsets to be committed with a batch."""
        return [TopicPartition(self._name, slot, batch)]

    def group(self) -> object:
        """What a transaction needs to know of the group."""
        return self._consumer.consumer_group_metadata()

    def close(self) -> None:
        """Leaves the broker."""
        self._consumer.close()
