"""The types of keys and values in the topics of a topology, to choose their codecs."""

from collections.abc import Iterable
from typing import Any, NamedTuple, Optional

from eddyline.application.ports.codec import Codec, Codecs, TopicTypes
from eddyline.application.runtime.plan.encoding import StateKeyCodec
from eddyline.application.topology.graph import TopicSpec, Topology
from eddyline.application.topology.stores import StoreKind, StoreSpec
from eddyline.application.topology.types import UNKNOWN


class StateCodecs(NamedTuple):
    """The codecs of the keys and values of a store's changes."""

    key: StateKeyCodec
    value: Codec


def state_codecs(types: tuple[object, object], codecs: Codecs) -> StateCodecs:
    """Return the codecs of a store.

    Args:
        types: The types of keys and values, as `store_types` and `Task.state_types` return them.
        codecs: The codecs of the flow.
    """
    key_type, value_type = map(codec_type, types)
    return StateCodecs(StateKeyCodec(codecs.for_state(key_type), key_type), codecs.for_state(value_type))


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


def store_types(spec: StoreSpec) -> tuple[object, object]:
    """Return the types of keys and values as a store has them: with window start, session bounds and timestamp, if any."""
    key, value = spec.key_type, spec.value_type
    if spec.timestamped:
        value = tuple[value, int]  # type: ignore[valid-type] # types are values here
    if spec.kind is StoreKind.WINDOW:
        return tuple[key, int], value  # type: ignore[valid-type]
    if spec.kind is StoreKind.SESSION:
        return tuple[key, int, int], value  # type: ignore[valid-type]
    if spec.kind is StoreKind.VERSIONED:
        return tuple[key, int], tuple[Optional[value]]  # type: ignore[valid-type] # noqa: UP045 - types are values here
    return key, value
