"""What an application leaves on a Kafka cluster: its group, what the sink keeps of its batches, and records that are to go."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from confluent_kafka import OFFSET_END, KafkaException
from confluent_kafka.admin._config import ConfigResource, ConfigSource
from confluent_kafka.admin._resource import ResourceType

from eddyline.adapters.kafka.batch_numbers import batches_name
from eddyline.adapters.kafka.clients import broker_errors, new_admin
from eddyline.adapters.kafka.errors import GroupActiveError
from eddyline.adapters.kafka.event_log import KafkaEventLog
from eddyline.adapters.kafka.groups import Groups
from eddyline.adapters.kafka.settings import KafkaSettings
from eddyline.adapters.kafka.topics import ANY_EVENT_TIME, Topics
from eddyline.application.operations.reset import is_writer_of
from eddyline.application.ports.resettable_state import Application, ApplicationRunningError, Artifact, ResettableState

_TOPIC: Final = "records of a topic"
_GROUP: Final = "offsets of a group"
_INTERNAL: Final = "internal topic"
_END: Final = batches_name("")
_NOT_FOUND: Final = "GROUP_ID_NOT_FOUND"


class KafkaResettableState(ResettableState):
    """Looks through a cluster's groups and topics.

    The application's group is the one of its id; its sink keeps the numbers of batches in groups, and in topics of the same
    name. All methods raise BrokerError.
    """

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._admin = new_admin(settings)
        self._groups = Groups(settings)
        self._topics = Topics(settings)
        self._log = KafkaEventLog(settings.with_values({"consumer.isolation.level": "read_uncommitted"}))

    @contextmanager
    def locked(self, application: Application) -> Iterator[None]:
        """Looks whether the groups have members; nothing keeps members from coming meanwhile."""
        for group in self._groups_of(application):
            self._refuse_active(application, group)
        yield

    def find(self, application: Application) -> Sequence[Artifact]:
        names = self._topics.names()
        found = []
        for topic in application.topics:
            partitions = range(self._topics.partitions(topic) if topic in names else 0)
            offsets = sum(self._log.end_offset(topic, at) - self._log.beginning_offset(topic, at) for at in partitions)
            if offsets:
                found.append(Artifact(_TOPIC, topic, f"{offsets:,} offsets in {len(partitions)} partitions"))
        groups = self._groups_of(application)
        found += [Artifact(_GROUP, group, f"{len(self._groups.committed(group))} offsets") for group in groups]
        internal = [topic for topic in names if _is_internal(application, topic)]
        found += [Artifact(_INTERNAL, topic, f"{self._topics.partitions(topic)} partitions") for topic in internal]
        return found

    def remove(self, application: Application, artifact: Artifact) -> None:
        if artifact.kind == _TOPIC:
            self._empty(artifact.location)
        elif artifact.kind == _INTERNAL:
            self._topics.delete(artifact.location)
        else:
            self._refuse_active(application, artifact.location)
            self._delete_group(artifact.location)

    def _groups_of(self, application: Application) -> list[str]:
        names = [group.name for group in self._groups.list()]
        return [name for name in names if name == application.id or _is_internal(application, name)]

    def _refuse_active(self, application: Application, group: str) -> None:
        try:
            self._groups.refuse_active(group)
        except GroupActiveError as error:
            raise ApplicationRunningError(f"'{application.id}' is in use: {error}") from None

    def _delete_group(self, group: str) -> None:
        with broker_errors(self._settings, f"delete group {group!r}"):
            try:
                self._admin.delete_consumer_groups([group], request_timeout=self._settings.request_timeout_s)[group].result()
            except KafkaException as error:
                if error.args[0].name() != _NOT_FOUND:
                    raise

    def _empty(self, topic: str) -> None:
        """Removes the records where Kafka does that; a topic that is compacted only is made anew as it was."""
        config = self._config(topic)
        partitions = self._topics.partitions(topic)
        if "delete" in config["cleanup.policy"]:
            self._topics.delete_records(topic, dict.fromkeys(range(partitions), OFFSET_END))
            return
        replicas = self._topics.replicas(topic)
        self._topics.delete(topic)
        self._topics.create(topic, partitions, replication=replicas, config=config)

    def _config(self, topic: str) -> dict[str, str]:
        """The topic's own settings, with those that hold for it of the ones that this project gives to topics."""
        asked = ConfigResource(ResourceType.TOPIC, topic)
        with broker_errors(self._settings, f"ask for the settings of topic {topic!r}"):
            found = self._admin.describe_configs([asked], request_timeout=self._settings.request_timeout_s)[asked].result()
        wanted = {"cleanup.policy", *ANY_EVENT_TIME}
        own = ConfigSource.DYNAMIC_TOPIC_CONFIG.value
        return {name: entry.value for name, entry in found.items() if entry.source == own or name in wanted}


def _is_internal(application: Application, name: str) -> bool:
    """Whether a topic or a group of this name keeps the numbers of the application's batches."""
    return name.endswith(_END) and is_writer_of(application.id, name.removesuffix(_END))
