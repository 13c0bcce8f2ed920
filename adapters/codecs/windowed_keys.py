"""Adds windowed keys, in the binary format of Kafka Streams, to the codecs of a format."""

from collections.abc import Iterable, Mapping
from typing import Any, get_args, get_origin

from eddyline.adapters.codecs.windowed import SessionWindowedCodec, TimeWindowedCodec
from eddyline.application.ports.codec import Codec, Codecs, TopicTypes
from eddyline.application.topology.types import without_none
from eddyline.application.topology.windows import Windowed


class WindowedKeyCodecs(Codecs):
    """The codecs of a format, where keys of the type `Windowed[...]` become the encoded key followed by the window's bounds.

    Args:
        inner: the codecs of the format, which encode the keys inside windowed keys, and everything else.
        size_ms: the size of the time windows by topic, in ms; the windowed keys of all other topics have session windows.
    """

    def __init__(self, inner: Codecs, size_ms: Mapping[str, int] | None = None) -> None:
        self._inner = inner
        self._size_ms = dict(size_ms or {})

    def for_key(self, topic: str, key_type: Any) -> Codec:
        inner = self._inner.for_key(topic, _inner_key_type(key_type))
        if not _is_windowed(key_type):
            return inner
        size_ms = self._size_ms.get(topic)
        return SessionWindowedCodec(inner) if size_ms is None else TimeWindowedCodec(inner, size_ms)

    def for_value(self, topic: str, value_type: Any) -> Codec:
        return self._inner.for_value(topic, value_type)

    def for_state(self, value_type: Any) -> Codec:
        return self._inner.for_state(value_type)

    def configured(self, choices: Mapping[str, str]) -> Codecs:
        return WindowedKeyCodecs(self._inner.configured(choices), self._size_ms)

    def check(self, reads: Iterable[TopicTypes], writes: Iterable[TopicTypes]) -> None:
        self._inner.check([_with_inner_key(types) for types in reads], [_with_inner_key(types) for types in writes])


def _is_windowed(key_type: Any) -> bool:
    return get_origin(without_none(key_type)) is Windowed


def _inner_key_type(key_type: Any) -> Any:
    return get_args(without_none(key_type))[0] if _is_windowed(key_type) else key_type


def _with_inner_key(types: TopicTypes) -> TopicTypes:
    return types._replace(key_type=_inner_key_type(types.key_type))
