"""The codecs of topics whose schemas are registered."""

from collections.abc import Iterable, Mapping
from typing import Any

from eddyline.adapters.registry.client import SchemaRegistry
from eddyline.adapters.registry.codec import RegistryCodec
from eddyline.adapters.registry.compatibility import check_compatibility
from eddyline.adapters.registry.event_types import EventTypesCodec, event_types
from eddyline.adapters.registry.format import FormatFactory
from eddyline.adapters.registry.serialization_context import SerializationContext
from eddyline.adapters.registry.subjects import SubjectNameStrategy
from eddyline.application.ports.codec import Codec, Codecs, TopicTypes, UnsupportedTypeError
from eddyline.application.topology.types import without_none


class RegistryCodecs(Codecs):
    """Codecs of one format whose schemas are registered. All methods raise TypeError for a type that it cannot represent.

    A union of types has one schema with the subject name strategy `topic`, and with the others one for each of its types.

    Args:
        registry: the schema registry.
        format_factory: makes the format of a topic's keys or values.
        state: the codecs of state, which must not depend on a schema registry.
    """

    def __init__(self, registry: SchemaRegistry, format_factory: FormatFactory, *, state: Codecs | None = None) -> None:
        self._registry = registry
        self._format_factory = format_factory
        self._state = state

    def for_key(self, topic: str, key_type: Any) -> RegistryCodec:
        return self._codec(SerializationContext(topic, "key"), key_type)

    def for_value(self, topic: str, value_type: Any) -> RegistryCodec:
        return self._codec(SerializationContext(topic, "value"), value_type)

    def for_state(self, value_type: Any) -> Codec:
        if self._state is None:
            raise UnsupportedTypeError("state must not depend on a schema registry; choose another codec for it, such as json")
        return self._state.for_state(value_type)

    def configured(self, choices: Mapping[str, str]) -> Codecs:
        return RegistryCodecs(self._registry, self._format_factory.configured(choices), state=self._state)

    def check(self, reads: Iterable[TopicTypes], writes: Iterable[TopicTypes]) -> None:
        check_compatibility(self._codecs(tuple(reads)), self._codecs(tuple(writes)))

    def _codecs(self, topics: tuple[TopicTypes, ...]) -> list[RegistryCodec]:
        keys = [self.for_key(types.topic, types.key_type) for types in topics if types.key_type is not None]
        values = [self.for_value(types.topic, types.value_type) for types in topics if types.value_type is not None]
        return [part for codec in (*keys, *values) for part in codec.parts]

    def _codec(self, context: SerializationContext, hint: Any) -> RegistryCodec:
        declared = without_none(hint)
        if event_types(declared) and self._registry.settings.strategy(context) is not SubjectNameStrategy.TOPIC:
            return EventTypesCodec(context, self._registry, self._format_factory, declared)
        return RegistryCodec(context, self._registry, self._format_factory(context, declared))
