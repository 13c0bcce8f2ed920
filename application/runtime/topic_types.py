"""The types of keys and values in the topics of a topology, to choose their codecs."""

from collections.abc import Iterable
from typing import Any

from eddyline.application.ports.codec import Codecs, TopicTypes
from eddyline.application.runtime.task_stores import store_types
from eddyline.application.topology.graph import TopicSpec, Topology
from eddyline.application.topology.types import UNKNOWN


def topic_types(topology: Topology) -> tuple[list[TopicTypes], list[TopicTypes]]:
    """Return the types of the topics that are read, then those of the topics that are written."""
    return _types(topology.source_topics), _types(topology.sink_topics)


def check_codecs(topology: Topology, codecs: Codecs) -> None:
    """Make sure that there are codecs for the types of all topics and stores, and that their schemas fit.

    Raises:
        TypeError: a codec cannot represent a type.
        CodecUnavailableError: schemas do not fit, or the schema registry is unavailable.
    """
    codecs = codecs.configured(topology.type_choices)
    reads, writes = topic_types(topology)
    for topic, key_type, value_type in (*reads, *writes):
        codecs.for_key(topic, key_type)
        codecs.for_value(topic, value_type)
    for spec in topology.stores.values():
        if spec.factory is None:
            for stored in store_types(spec):
                codecs.for_state(codec_type(stored))
    codecs.check(reads, writes)


def codec_type(found: object) -> Any:
    """Return the type for which to get a codec: `found`, or Any if the topology does not know the type."""
    return Any if found is UNKNOWN else found


def _types(specs: Iterable[TopicSpec]) -> list[TopicTypes]:
    return [TopicTypes(spec.name, codec_type(spec.key_type), codec_type(spec.value_type)) for spec in specs]
