"""Any format, with keys in windows written as Kafka Streams does."""

from collections.abc import Iterable, Mapping
from typing import Any, get_args, get_origin

from eddyline.adapters.primitive.windowed import SessionWindowedCodec, TimeWindowedCodec
from eddyline.application.ports.codec import Codec, Codecs, TopicTypes
from eddyline.application.topology.types import without_none
from eddyline.application.topology.windows import Windowed


class WindowedKeys(Codecs):
    """The format `inner`; the bounds of a key of the type `Windowed[...]` stand behind the bytes that it makes of the key.

    Topics in `size_ms` have time windows of that size in their keys; all others have sessions.
    """

    def __init__(self, inner: Codecs, size_ms: Mapping[str, int] | None = None) -> None:
        self._inner = inner
        self._size_ms = dict(size_ms or {})

    def for_key(self, topic: str, key_type: Any) -> Codec:
        found = without_none(key_type)
        if get_origin(found) is not Windowed:
            return self._inner.for_key(topic, key_type)
        inner = self._inner.for_key(topic, get_args(found)[0])
        size_ms = self._size_ms.get(topic)
        return SessionWindowedCodec(inner) if size_ms is None else TimeWindowedCodec(inner, size_ms)

    def for_value(self, topic: str, value_type: Any) -> Codec:
        return self._inner.for_value(topic, value_type)

    def for_state(self, value_type: Any) -> Codec:
        return self._inner.for_state(value_type)

    def check(self, reads: Iterable[TopicTypes], writes: Iterable[TopicTypes]) -> None:
        self._inner.check([_without_window(types) for types in reads], [_without_window(types) for types in writes])


def _without_window(types: TopicTypes) -> TopicTypes:
    found = without_none(types.key_type)
    return types._replace(key_type=get_args(found)[0]) if get_origin(found) is Windowed else types
