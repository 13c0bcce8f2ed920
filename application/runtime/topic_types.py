"""What a topology says of the topics that it reads and writes, in the words of the codecs."""

from collections.abc import Iterable
from typing import Any

from eddyline.application.ports.codec import TopicTypes
from eddyline.application.topology.graph import TopicSpec, Topology
from eddyline.application.topology.types import UNKNOWN


def topic_types(topology: Topology) -> tuple[list[TopicTypes], list[TopicTypes]]:
    """The topics that are read, then those that are written, with their types."""
    return _types(topology.source_topics), _types(topology.sink_topics)


def codec_type(found: object) -> Any:
    """The type to ask a codec for: what the topology knows, Any where it knows nothing."""
    return Any if found is UNKNOWN else found


def _types(specs: Iterable[TopicSpec]) -> list[TopicTypes]:
    return [TopicTypes(spec.name, codec_type(spec.key_type), codec_type(spec.value_type)) for spec in specs]
