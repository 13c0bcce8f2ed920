"""Looks up the size limits of topics, to name them in errors."""

from confluent_kafka import KafkaException
from confluent_kafka.admin._config import ConfigResource
from confluent_kafka.admin._resource import ResourceType

from eddyline.adapters.kafka.clients.factory import new_admin
from eddyline.adapters.kafka.settings import KafkaSettings

_TIMEOUT_S = 5.0
_SETTING = "max.message.bytes"


def size_limit(settings: KafkaSettings, topic: str) -> int | None:
    """Return the `max.message.bytes` of a topic, None if it cannot be looked up."""
    resource = ConfigResource(ResourceType.TOPIC, topic)
    try:
        admin = new_admin(settings)
        found = admin.describe_configs([resource], request_timeout=_TIMEOUT_S)[resource].result()
        return int(found[_SETTING].value)
    except (KafkaException, KeyError, TypeError, ValueError):
        return None
