"""The types of keys and values in the topics of a topology, to choose their codecs."""

from collections.abc import Iterable
from typing import Any

from eddyline.application.ports.codec import TopicTypes
from eddyline.application.topology.graph import TopicSpec, Topology
from eddyline.application.topology.types import UNKNOWN


def topic_types(topology: Topology) -> tuple[list[TopicTypes], list[TopicTypes]]:
    """Return the types of the topics that are read, then those of the topics that are written."""
    return _types(topology.source_topics), _types(topology.sink_topics)


def codec_type(found: object) -> Any:
    """Return the type for which to get a codec: `found`, or Any if the topology does not know the type."""
    return Any if found is UNKNOWN else found


def _types(specs: Iterable[TopicSpec]) -> list[TopicTypes]:
    return [TopicTypes(spec.name, codec_type(spec.key_type), codec_type(spec.value_type)) for spec in specs]
