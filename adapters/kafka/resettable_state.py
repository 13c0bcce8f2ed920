"""What an application leaves in a Kafka cluster: its consumer group, the batch numbers of its sink, and records of topics."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from confluent_kafka import OFFSET_END
from confluent_kafka.admin._config import ConfigResource, ConfigSource
from confluent_kafka.admin._resource import ResourceType

from eddyline.adapters.kafka.clients.broker_errors import broker_errors
from eddyline.adapters.kafka.clients.factory import new_admin
from eddyline.adapters.kafka.errors import GroupActiveError
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.groups.admin import ConsumerGroups
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.sink.batch_numbers import batches_name
from eddyline.adapters.kafka.topics import ANY_EVENT_TIME, Topics
from eddyline.application.operations.reset import is_writer_of, keeps_state
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, Artifact, ResettableState, counted

_TOPIC: Final = "records of a topic"
_GROUP: Final = "offsets of a group"
_INTERNAL: Final = "internal topic"
_BATCHES_SUFFIX: Final = batches_name("")


class KafkaResettableState(ResettableState):
    """The consumer groups and topics of one cluster that belong to an application.

    The group with the application's id has its source offsets; groups and topics named `<writer>-batches` have the batch
    numbers of its sink. All methods raise BrokerError.
    """

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._admin = new_admin(settings)
        self._groups = ConsumerGroups(settings)
        self._topics = Topics(settings)
        self._log = KafkaEventLog(settings.with_values({"consumer.isolation.level": "read_uncommitted"}))

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        """Check that the groups have no members. Kafka cannot prevent members from joining meanwhile."""
        for group in self._groups_of(application):
            self._require_inactive(application, group)
        yield

    def find(self, application: Application) -> Sequence[Artifact]:
        names = self._topics.names()
        found = []
        for topic in application.topics:
            bounds = self._log.topic_bounds([topic])[topic] if topic in names else ()
            offsets = sum(end - begin for begin, end in bounds)
            if offsets:
                found.append(Artifact(_TOPIC, topic, f"{counted(offsets, 'offset')} in {counted(len(bounds), 'partition')}"))
        groups = self._groups_of(application)
        found += [Artifact(_GROUP, group, counted(len(self._groups.committed(group)), "offset")) for group in groups]
        internal = [topic for topic in names if topic in application.internal_topics or _is_internal(application, topic)]
        found += [Artifact(_INTERNAL, topic, counted(self._topics.partitions(topic), "partition")) for topic in internal]
        return found

    def has_results(self, application_id: str) -> bool:
        names = (group.name for group in self._groups.list())
        return any(
            keeps_state(application_id, name.removesuffix(_BATCHES_SUFFIX)) for name in names if name.endswith(_BATCHES_SUFFIX)
        )

    def remove(self, application: Application, artifact: Artifact) -> None:
        if artifact.kind == _TOPIC:
            self._delete_records(artifact.location)
        elif artifact.kind == _INTERNAL:
            self._topics.delete(artifact.location)
        else:
            self._require_inactive(application, artifact.location)
            self._groups.delete(artifact.location)

    def _groups_of(self, application: Application) -> list[str]:
        names = [group.name for group in self._groups.list()]
        return [name for name in names if name == application.id or _is_internal(application, name)]

    def _require_inactive(self, application: Application, group: str) -> None:
        try:
            self._groups.require_inactive(group)
        except GroupActiveError as error:
            raise ApplicationRunningError(f"'{application.id}' is running: {error}") from None

    def _delete_records(self, topic: str) -> None:
        """Delete all records; recreate a topic whose cleanup policy is only `compact`, where Kafka cannot delete records."""
        config = self._config(topic)
        partitions = self._topics.partitions(topic)
        if "delete" in config["cleanup.policy"]:
            self._topics.delete_records(topic, dict.fromkeys(range(partitions), OFFSET_END))
            return
        replication = self._topics.replication(topic)
        self._topics.delete(topic)
        self._topics.create(topic, partitions, replication=replication, config=config)

    def _config(self, topic: str) -> dict[str, str]:
        """Return the settings with which to recreate the topic: its own, and those that `Topics.create` would replace."""
        resource = ConfigResource(ResourceType.TOPIC, topic)
        with broker_errors(self._settings, f"read the configuration of topic {topic!r}", self._admin):
            answers = self._admin.describe_configs([resource], request_timeout=self._settings.request_timeout_s)
            found = answers[resource].result()
        needed = {"cleanup.policy", *ANY_EVENT_TIME}
        own = ConfigSource.DYNAMIC_TOPIC_CONFIG.value
        return {name: entry.value for name, entry in found.items() if entry.source == own or name in needed}


def _is_internal(application: Application, name: str) -> bool:
    """Return whether a topic or group of this name has batch numbers of the application."""
    return name.endswith(_BATCHES_SUFFIX) and is_writer_of(application.id, name.removesuffix(_BATCHES_SUFFIX))
