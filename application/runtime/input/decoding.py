"""Decodes the records of topics into the keys and values that tasks process."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from eddyline.application.ports.availability import ServiceUnavailableError
from eddyline.application.ports.codec import Codec, CodecError, in_one_line
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.runtime.plan.encoding import is_slow_to_look_up, repartition_keys
from eddyline.application.runtime.plan.partitioner import LONGEST_CACHED_KEY
from eddyline.application.runtime.plan.run_plan import RunPlan
from eddyline.application.runtime.plan.topic_types import codec_type

Decode: TypeAlias = Callable[[LogRecord], tuple[Any, Any, Headers]]
"""Returns the key, the value and the remaining headers of a record. Raises CodecError or UnreadableRecordError."""

_CACHED_KEYS = 1 << 16
_OF_OTHERS = (CodecError, ServiceUnavailableError, OSError, MemoryError)
"""Errors that are already one of codecs, or no fault of a record."""
_FEW = 3


class UnreadableRecordError(ValueError):
    """The log holds something at this offset that is not a record; the message is that of the log."""


class DecodedKeys(dict[bytes | None, Any]):
    """Decodes keys when they are looked up. Keys of moderate length are cached, since most records have one of few.

    Args:
        codec: The codec of the keys.
    """

    def __init__(self, codec: Codec) -> None:
        self._decode, self._decode_all = codec.decode, codec.decode_all
        self._only_cached = False
        super().__init__({None: self._decode(None)})

    def __missing__(self, data: bytes | None) -> Any:
        if self._only_cached:
            raise KeyError(data)
        found = self._decode(data)
        if len(data or b"") <= LONGEST_CACHED_KEY:
            if len(self) >= _CACHED_KEYS:
                self.clear()
            self[data] = found
        return found

    def decode_all(self, column: Sequence[bytes | None]) -> list[Any]:
        """Return many decoded keys; those that are not cached are decoded together, and not cached if most come only once."""
        if is_slow_to_look_up(column, self):
            return list(self._decode_all(column))
        self._only_cached = True
        try:
            return list(map(self.__getitem__, column))
        except KeyError:
            pass
        finally:
            self._only_cached = False
        missing = [data for data in column if data not in self]
        many = max(len(column) // 2, _FEW)
        if len(missing) > many and len(set(missing)) > many:
            return list(self._decode_all(column))
        if len(missing) > _FEW and len(self) + len(missing) < _CACHED_KEYS:
            found = zip(missing, self._decode_all(missing), strict=True)
            self.update((data, key) for data, key in found if len(data or b"") <= LONGEST_CACHED_KEY)
        return list(map(self.__getitem__, column))


class TopicDecoders:
    """The decoders of the topics that a task reads, each created on first use."""

    def __init__(self, plan: RunPlan) -> None:
        self._plan = plan
        self._decoders: dict[str, Decode] = {}
        self._codecs: dict[str, tuple[Codec, Codec]] = {}

    def of_source(self, topic: str) -> Decode:
        """Return the decoder of a source topic, or of the clock topic, whose keys and values are not decoded."""
        found = self._decoders.get(topic)
        if found is None:
            is_clock = self.is_clock(topic)
            found = self._decoders[topic] = _headers_only if is_clock else record_decoder(*self.codecs_of_source(topic))
        return found

    def is_clock(self, topic: str) -> bool:
        """Return whether a topic is the clock topic."""
        return topic == self._plan.clock_topic

    def codecs_of_repartition(self, topic: str) -> tuple[Codec, Codec]:
        """Return the codecs of the keys and values of a repartition topic, which are encoded like those of stores."""
        node, codecs = self._plan.sources[topic], self._plan.ports.codecs
        keys = repartition_keys(codecs, self._plan.internal_topic(topic), codec_type(node.key_type))
        return keys.codec, codecs.for_state(codec_type(node.value_type))

    def codecs_of_source(self, topic: str) -> tuple[Codec, Codec]:
        """Return the codecs of the keys and values of a source topic."""
        found = self._codecs.get(topic)
        if found is None:
            node, codecs = self._plan.sources[topic], self._plan.ports.codecs
            key = codecs.for_key(topic, codec_type(node.key_type))
            found = self._codecs[topic] = key, codecs.for_value(topic, codec_type(node.value_type))
        return found


def record_decoder(key: Codec, value: Codec) -> Decode:
    """Return a function that decodes the records of a topic.

    Headers that the codecs read are removed. Whatever a codec, or a class that it creates, raises for the bytes of a record is a
    CodecError, since other records may be valid; only what cannot be the fault of the record remains as it is.
    """
    keys, value_of = DecodedKeys(key), value.decode

    def decode(record: LogRecord) -> tuple[Any, Any, Headers]:
        _, _, _, _, data, value_data, headers, _, error = record
        if error is not None:
            raise UnreadableRecordError(error)
        try:
            return keys[data], value_of(value_data), headers
        except _OF_OTHERS:
            raise
        except Exception as found:
            raise CodecError(in_one_line(found)) from found

    names = key.headers_read | value.headers_read
    if not names:
        return decode

    def decode_with_headers(record: LogRecord) -> tuple[Any, Any, Headers]:
        headers = record.headers
        if not headers or names.isdisjoint(name for name, _ in headers) or record.error is not None:
            return decode(record)
        remaining = tuple(header for header in headers if header[0] not in names)
        try:
            return key.decode(record.key, headers), value_of(record.value, headers), remaining
        except _OF_OTHERS:
            raise
        except Exception as found:
            raise CodecError(in_one_line(found)) from found

    return decode_with_headers


def _headers_only(record: LogRecord) -> tuple[Any, Any, Headers]:
    return None, None, record.headers
