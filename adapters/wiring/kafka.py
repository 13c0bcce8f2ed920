"""Kafka: the event log and sink of flows, and the tools of the commands that produce, consume and move consumer groups."""

from typing import TYPE_CHECKING, Any

from eddyline.adapters.settings import Settings
from eddyline.adapters.wiring.extras import extra
from eddyline.application.ports.event_log import TopicPartition
from eddyline.application.ports.record_clients import OnReport

if TYPE_CHECKING:
    from eddyline.adapters.kafka.event_log import KafkaEventLog
    from eddyline.adapters.kafka.event_sink import KafkaEventSink
    from eddyline.adapters.kafka.groups.admin import ConsumerGroups
    from eddyline.adapters.kafka.groups.consumers import Consumers
    from eddyline.adapters.kafka.groups.instances import KafkaInstanceGroup
    from eddyline.adapters.kafka.groups.member import GroupMember
    from eddyline.adapters.kafka.groups.offset_reset import OffsetReset, ResetTarget
    from eddyline.adapters.kafka.resettable_state import KafkaResettableState
    from eddyline.adapters.kafka.settings import KafkaSettings
    from eddyline.adapters.kafka.sink.reporting_producer import ReportingProducer
    from eddyline.adapters.kafka.topics import Topics

_GUARANTEES = {"exactly_once_v2": "exactly-once", "at_least_once": "at-least-once"}


def kafka_settings(settings: Settings) -> "KafkaSettings":
    """Return the settings of the Kafka clients; without `bootstrap.servers` they connect to the local broker."""
    from eddyline.adapters.kafka.settings import LOCAL_BROKER, KafkaSettings

    if settings.auto_offset_reset == "none":
        return KafkaSettings({**LOCAL_BROKER, **settings.kafka_properties()})
    return KafkaSettings({**LOCAL_BROKER, "auto.offset.reset": settings.auto_offset_reset, **settings.kafka_properties()})


def check_brokers(kafka: "KafkaSettings") -> None:
    """Make sure that a broker accepts connections. Raises BrokerUnavailableError within seconds if none does."""
    with extra("kafka"):
        import eddyline.adapters.kafka.clients.factory  # noqa: F401
    from eddyline.adapters.kafka.clients.reachable import check_reachable

    check_reachable(kafka)


def kafka_log(kafka: "KafkaSettings") -> "KafkaEventLog":
    """Return the event log on Kafka."""
    with extra("kafka"):
        from eddyline.adapters.kafka.event_log import KafkaEventLog
    return KafkaEventLog(kafka)


def kafka_sink(kafka: "KafkaSettings", settings: Settings) -> "KafkaEventSink":
    """Return the event sink on Kafka, with the guarantee and the partitioner of the settings."""
    with extra("kafka"):
        from eddyline.adapters.kafka.event_sink import KafkaEventSink
        from eddyline.adapters.kafka.sink.partitioning import find_partitioner
    partitioner, kafka = find_partitioner(settings.partitioner, kafka)
    return KafkaEventSink(kafka, guarantee=_GUARANTEES[settings.processing_guarantee], partitioner=partitioner)


def kafka_instance_group(kafka: "KafkaSettings", application_id: str) -> "KafkaInstanceGroup":
    """Return the group of the query servers that share the partitions of an application."""
    with extra("kafka"):
        from eddyline.adapters.kafka.groups.instances import KafkaInstanceGroup
    return KafkaInstanceGroup(kafka, f"{application_id}-queries")


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

    def create_topic(self, topic: str, partitions: int, *, replication: int = -1) -> bool:
        """Create a topic; return False if it exists. A replication factor of -1 is the default of the brokers."""
        return self.topics().create(topic, partitions, replication=replication)

    def delete_topic(self, topic: str) -> None:
        """Delete a topic with its records."""
        self.topics().delete(topic)

    def replication(self, topic: str) -> int:
        """Return the replication factor of a topic."""
        return self.topics().replication(topic)

    def groups(self) -> "ConsumerGroups":
        """Return the consumer groups of the cluster."""
        with extra("kafka"):
            from eddyline.adapters.kafka.groups.admin import ConsumerGroups
        return ConsumerGroups(self._kafka)

    def offset_reset(self) -> "OffsetReset":
        """Return what resets the offsets of consumer groups."""
        with extra("kafka"):
            from eddyline.adapters.kafka.groups.offset_reset import OffsetReset
        return OffsetReset(self._kafka)

    def reset_target(self, scenario: str, number: int = 0) -> "ResetTarget":
        """Return where to reset offsets to; the scenario is named as in Kafka's group tool, such as `to-earliest`."""
        with extra("kafka"):
            from eddyline.adapters.kafka.groups.offset_reset import ResetScenario, ResetTarget
        return ResetTarget(ResetScenario(scenario), number)

    def consumers(self, topic: str, group: str | None, *, start: tuple[str, int], **options: Any) -> "Consumers":
        """Return consumers of a topic.

        Args:
            topic: The topic to read.
            group: The consumer group, None to read without one.
            start: Where to start: `committed`, `beginning`, `end`, `offset` or `time`, with the offset or the time in ms.
            options: The other options of Consumers.
        """
        with extra("kafka"):
            from eddyline.adapters.kafka.groups.consumers import Consumers
            from eddyline.adapters.kafka.groups.start import StartFrom, StartPosition
        start_from, number = start
        return Consumers(self._kafka, topic, group, start=StartPosition(StartFrom(start_from), number), **options)

    def consumer(self, group: str | None, *, start: tuple[str, int]) -> "GroupMember":
        """Return a single consumer; see `consumers`."""
        with extra("kafka"):
            from eddyline.adapters.kafka.groups.member import GroupMember
            from eddyline.adapters.kafka.groups.start import StartFrom, StartPosition
        start_from, number = start
        seen: set[TopicPartition] = set()

        def is_new(partition: TopicPartition) -> bool:
            known = partition in seen
            seen.add(partition)
            return not known

        position = StartPosition(StartFrom(start_from), number)
        return GroupMember(self._kafka, group, start=position, is_new=is_new, on_change=lambda _partitions: None)

    def producer(
        self, *, on_report: OnReport | None = None, acks: str = "all", partitioner: str = "by-key"
    ) -> "ReportingProducer":
        """Return a producer that reports on each record.

        Raises:
            ValueError: the partitioner is unknown or cannot be imported.
        """
        with extra("kafka"):
            from eddyline.adapters.kafka.sink.partitioning import find_partitioner
            from eddyline.adapters.kafka.sink.reporting_producer import ReportingProducer
        rule, kafka = find_partitioner(partitioner, self._kafka)
        return ReportingProducer(kafka, on_report=on_report, acks=acks, partitioner=rule)
