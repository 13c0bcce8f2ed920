"""A format for each topic's keys and values, chosen by name."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from eddyline.application.ports.codec import Codec, Codecs, TopicTypes


class TopicCodecs(Codecs):
    """Puts together formats, each of them a Codecs, such as `{"json": JsonCodecs(), "long": PrimitiveCodecs("long")}`.

    `keys` and `values` name the format of a topic; `default_key` and `default_value` serve all others, and the format `state`
    serves state. Raises ValueError for a name that is not among the formats.
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
            self._check_name(what, name)
        for what, chosen in (("keys", self._keys), ("values", self._values)):
            for topic, name in chosen.items():
                self._check_name(f"the {what} of topic '{topic}'", name)

    def for_key(self, topic: str, key_type: Any) -> Codec:
        return self._formats[self._keys.get(topic, self._default_key)].for_key(topic, key_type)

    def for_value(self, topic: str, value_type: Any) -> Codec:
        return self._formats[self._values.get(topic, self._default_value)].for_value(topic, value_type)

    def for_state(self, value_type: Any) -> Codec:
        return self._formats[self._state].for_state(value_type)

    def check(self, reads: Iterable[TopicTypes], writes: Iterable[TopicTypes]) -> None:
        shares: dict[str, tuple[list[TopicTypes], list[TopicTypes]]] = {name: ([], []) for name in self._formats}
        for side, types in ((0, reads), (1, writes)):
            for topic_types in types:
                for name, part in self._parts(topic_types):
                    shares[name][side].append(part)
        for name, (read, written) in shares.items():
            if read or written:
                self._formats[name].check(read, written)

    def _parts(self, types: TopicTypes) -> Iterator[tuple[str, TopicTypes]]:
        """What each format has of a topic; what another format has of it is of no type."""
        key = self._keys.get(types.topic, self._default_key)
        value = self._values.get(types.topic, self._default_value)
        if key == value:
            yield key, types
        else:
            yield key, types._replace(value_type=None)
            yield value, types._replace(key_type=None)

    def _check_name(self, what: str, name: str) -> None:
        if name not in self._formats:
            raise ValueError(f"codec '{name}' for {what} is unknown; there are: {', '.join(self._formats)}")
