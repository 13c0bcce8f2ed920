"""Chooses the format of each topic's keys and values by name."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from eddyline.application.ports.codec import Codec, Codecs, TopicTypes
from eddyline.application.topology.types import Names


class TopicCodecs(Codecs):
    """Codecs of several formats, such as `{"json": JsonCodecs(), "long": PrimitiveCodecs("long")}`.

    Args:
        formats: the codecs of each format, by the name of the format.
        default_key: the format of keys, for topics that are not in `keys`.
        default_value: the format of values, for topics that are not in `values`.
        state: the format of state.
        keys: the format of a topic's keys, by topic.
        values: the format of a topic's values, by topic.

    Raises:
        ValueError: a name is not one of `formats`.
    """

    def __init__(
        self,
        formats: Mapping[str, Codecs],
        *,
        default_key: str,
        default_value: str,
        state: str,
        keys: Mapping[str, str] | None = None,
        values: Mapping[str, str] | None = None,
    ) -> None:
        self._formats = dict(formats)
        self._keys, self._values = dict(keys or {}), dict(values or {})
        self._default_key, self._default_value, self._state = default_key, default_value, state
        for what, name in (("keys", default_key), ("values", default_value), ("state", state)):
            self._require_format(what, name)
        for what, by_topic in (("keys", self._keys), ("values", self._values)):
            for topic, name in by_topic.items():
                self._require_format(f"the {what} of topic '{topic}'", name)

    def for_key(self, topic: str, key_type: Any) -> Codec:
        return self._formats[self._keys.get(topic, self._default_key)].for_key(topic, key_type)

    def for_value(self, topic: str, value_type: Any) -> Codec:
        return self._formats[self._values.get(topic, self._default_value)].for_value(topic, value_type)

    def for_state(self, value_type: Any) -> Codec:
        return self._formats[self._state].for_state(value_type)

    def for_display(self, value_type: Any, topic: str = "") -> Codec:
        return self._formats[self._state].for_display(value_type, topic)

    def shown_names(self, topic: str = "") -> Names:
        return self._formats[self._state].shown_names(topic)

    def configured(self, choices: Mapping[str, str]) -> Codecs:
        return TopicCodecs(
            {name: codecs.configured(choices) for name, codecs in self._formats.items()},
            default_key=self._default_key,
            default_value=self._default_value,
            state=self._state,
            keys=self._keys,
            values=self._values,
        )

    def check(self, reads: Iterable[TopicTypes], writes: Iterable[TopicTypes]) -> None:
        by_format: dict[str, tuple[list[TopicTypes], list[TopicTypes]]] = {name: ([], []) for name in self._formats}
        for side, topics in enumerate((reads, writes)):
            for types in topics:
                for name, part in self._by_format(types):
                    by_format[name][side].append(part)
        for name, (read, written) in by_format.items():
            if read or written:
                self._formats[name].check(read, written)

    def _by_format(self, types: TopicTypes) -> Iterator[tuple[str, TopicTypes]]:
        """Yield each format of the topic with the types that it is used for; the other type is None."""
        key = self._keys.get(types.topic, self._default_key)
        value = self._values.get(types.topic, self._default_value)
        if key == value:
            yield key, types
        else:
            yield key, types._replace(value_type=None)
            yield value, types._replace(key_type=None)

    def _require_format(self, what: str, name: str) -> None:
        if name not in self._formats:
            raise ValueError(f"unknown codec '{name}' for {what}; choose one of: {', '.join(self._formats)}")
