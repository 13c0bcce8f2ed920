"""A format for each topic's keys and values, chosen by name."""

from collections.abc import Mapping
from typing import Any

from application.ports.codec import Codec, Codecs


class TopicCodecs(Codecs):
    """Puts together formats, each of them a Codecs, such as `{"json": JsonCodecs(), "long": PrimitiveCodecs("long")}`.

    `keys` and `values` name the format of a topic; the format `default` serves all others, and state. Raises ValueError for a
    name that is not among the formats.
    """

    def __init__(
        self,
        formats: Mapping[str, Codecs],
        *,
        default: str,
        keys: Mapping[str, str] | None = None,
        values: Mapping[str, str] | None = None,
    ) -> None:
        self._formats = dict(formats)
        self._keys = dict(keys or {})
        self._values = dict(values or {})
        self._default = self._named("the default", default)
        for what, chosen in (("keys", self._keys), ("values", self._values)):
            for topic, name in chosen.items():
                self._named(f"the {what} of topic '{topic}'", name)

    def for_key(self, topic: str, key_type: Any) -> Codec:
        return self._chosen(self._keys, topic).for_key(topic, key_type)

    def for_value(self, topic: str, value_type: Any) -> Codec:
        return self._chosen(self._values, topic).for_value(topic, value_type)

    def for_state(self, value_type: Any) -> Codec:
        return self._default.for_state(value_type)

    def _chosen(self, chosen: Mapping[str, str], topic: str) -> Codecs:
        return self._formats[chosen[topic]] if topic in chosen else self._default

    def _named(self, what: str, name: str) -> Codecs:
        try:
            return self._formats[name]
        except KeyError:
            raise ValueError(f"codec '{name}' for {what} is unknown; there are: {', '.join(self._formats)}") from None
