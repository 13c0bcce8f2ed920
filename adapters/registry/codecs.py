"""Chooses the codecs of topics whose schemas live in the registry, and checks those schemas before a flow starts."""

from collections.abc import Iterable
from typing import Any

from eddyline.adapters.registry.check import check
from eddyline.adapters.registry.client import Registry
from eddyline.adapters.registry.codec import RegistryCodec
from eddyline.adapters.registry.format import FormatOf
from eddyline.adapters.registry.places import Place
from eddyline.application.ports.codec import Codec, Codecs, TopicTypes
from eddyline.application.topology.types import without_none


class RegistryCodecs(Codecs):
    """Makes the codecs of the topics whose schemas live in the registry; all raise TypeError for a type without a form there.

    State must be readable without a registry, so `state` makes its codecs.
    """

    def __init__(self, registry: Registry, format_of: FormatOf, *, state: Codecs | None = None) -> None:
        self._registry = registry
        self._format_of = format_of
        self._state = state

    def for_key(self, topic: str, key_type: Any) -> RegistryCodec:
        return self._make(Place(topic, "key"), key_type)

    def for_value(self, topic: str, value_type: Any) -> RegistryCodec:
        return self._make(Place(topic, "value"), value_type)

    def for_state(self, value_type: Any) -> Codec:
        if self._state is None:
            raise TypeError("state cannot depend on a schema registry; choose another format for it, such as json")
        return self._state.for_state(value_type)

    def check(self, reads: Iterable[TopicTypes], writes: Iterable[TopicTypes]) -> None:
        check(self._of(tuple(reads)), self._of(tuple(writes)))

    def _of(self, topics: tuple[TopicTypes, ...]) -> list[RegistryCodec]:
        keys = [self.for_key(types.topic, types.key_type) for types in topics if types.key_type is not None]
        return keys + [self.for_value(types.topic, types.value_type) for types in topics if types.value_type is not None]

    def _make(self, place: Place, hint: Any) -> RegistryCodec:
        return RegistryCodec(place, self._registry, self._format_of(place.topic, place.part, without_none(hint)))
