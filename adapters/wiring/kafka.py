"""Kafka: the event log and sink of flows, and the tools of the commands that produce, consume and move consumer groups."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.extras import extra

if TYPE_CHECKING:
    from eddyline.adapters.kafka.acknowledged import AcknowledgedProducer, Acknowledgement
    from eddyline.adapters.kafka.consuming import Consuming
    from eddyline.adapters.kafka.event_log import KafkaEventLog
    from eddyline.adapters.kafka.event_sink import KafkaEventSink
    from eddyline.adapters.kafka.groups import Groups, Target
    from eddyline.adapters.kafka.resettable_state import KafkaResettableState
    from eddyline.adapters.kafka.settings import KafkaSettings
    from eddyline.adapters.kafka.topics import Topics

_GUARANTEES = {"exactly_once_v2": "exactly-once", "at_least_once": "at-least-once"}


def kafka_settings(settings: Settings) -> "KafkaSettings":
    """Return the settings of the Kafka clients; without `bootstrap.servers` they connect to the local broker."""
    from eddyline.adapters.kafka.settings import LOCAL_BROKER, KafkaSettings

    return KafkaSettings({**LOCAL_BROKER, **settings.kafka_properties()})


def kafka_log(kafka: "KafkaSettings") -> "KafkaEventLog":
    """Return the event log on Kafka."""
    with extra("kafka"):
        from eddyline.adapters.kafka.event_log import KafkaEventLog
    return KafkaEventLog(kafka)


def kafka_sink(kafka: "KafkaSettings", settings: Settings) -> "KafkaEventSink":
    """Return the event sink on Kafka, with the guarantee and the partitioner of the settings."""
    with extra("kafka"):
        from eddyline.adapters.kafka.event_sink import KafkaEventSink
        from eddyline.adapters.kafka.partitioning import partitioner_named
    partitioner, kafka = partitioner_named(settings.partitioner, kafka)
    return KafkaEventSink(kafka, guarantee=_GUARANTEES[settings.processing_guarantee], partitioner=partitioner)


def kafka_resettable_state(kafka: "KafkaSettings") -> "KafkaResettableState":
    """Return the resettable state in Kafka."""
    with extra("kafka"):
        from eddyline.adapters.kafka.resettable_state import KafkaResettableState
    return KafkaResettableState(kafka)


class KafkaTools:
    """The clients behind `eddyline produce`, `consume` and `groups`."""

    def __init__(self, kafka: "KafkaSettings") -> None:
        self._kafka = kafka

    def topics(self) -> "Topics":
        """Return the topics of the cluster."""
        with extra("kafka"):
            from eddyline.adapters.kafka.topics import Topics
        return Topics(self._kafka)

    def groups(self) -> "Groups":
        """Return the consumer groups of the cluster."""
        with extra("kafka"):
            from eddyline.adapters.kafka.groups import Groups
        return Groups(self._kafka)

    def offset_target(self, aim: str, number: int = 0) -> "Target":
        """Return where to move offsets to: the `aim` is named as in Kafka's group tool, such as `to-earliest` or `shift-by`."""
        with extra("kafka"):
            from eddyline.adapters.kafka.groups import Aim, Target
        return Target(Aim(aim), number)

    def consumers(self, topic: str, group: str | None, *, start: tuple[str, int], **options: Any) -> "Consuming":
        """Return consumers of a topic.

        Args:
            topic: The topic to read.
            group: The consumer group, None to read without one.
            start: Where to start: `committed`, `beginning`, `end`, `offset` or `time`, with the offset or the time in ms.
            options: The other options of Consuming.
        """
        with extra("kafka"):
            from eddyline.adapters.kafka.consuming import Consuming
            from eddyline.adapters.kafka.group_member import Origin, Start
        origin, number = start
        return Consuming(self._kafka, topic, group, start=Start(Origin(origin), number), **options)

    def producer(self, *, on_ack: "Callable[[Acknowledgement], None]", acks: str, partitioner: str) -> "AcknowledgedProducer":
        """Return a producer that calls `on_ack` with the acknowledgement of each record.

        Raises:
            ValueError: the partitioner is unknown or cannot be imported.
        """
        with extra("kafka"):
            from eddyline.adapters.kafka.acknowledged import AcknowledgedProducer
            from eddyline.adapters.kafka.partitioning import partitioner_named
        rule, kafka = partitioner_named(partitioner, self._kafka)
        return AcknowledgedProducer(kafka, on_ack=on_ack, acks=acks, partitioner=rule)
