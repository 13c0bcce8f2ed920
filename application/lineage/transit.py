"""Records between tasks, and results, that keep the origins of their values although the values are encoded."""

# ruff: noqa: D102 - the methods of codecs are described by their port

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from eddyline.application.lineage.origins import Origin, Origins, Traced, plain
from eddyline.application.ports.codec import Codec, Codecs, TopicTypes
from eddyline.application.ports.event_log import Headers, LogRecord
from eddyline.application.topology.immutable import own_copy

_PLAIN: Final = object()
"""Stands for a part of a value that has no origins of its own, such as a version number."""


class OutputValue(Traced):
    """The value of a record that a task writes, with the input record that was being processed."""

    __slots__ = ("record",)

    def __init__(self, value: Any, origins: Origins, record: Origin | None) -> None:
        super().__init__(value, origins)
        self.record = record

    def __deepcopy__(self, memo: dict[int, Any]) -> "OutputValue":
        """Return a copy that shares the origins and the record."""
        del memo
        return OutputValue(own_copy(self.value), self.origins, self.record)


class Encoded(bytes):
    """An encoded value with its origins; `is_null` if the value is None, which has no bytes."""

    origins: Origins
    parts: Any
    is_null: bool
    record: Origin | None


def _encoded(data: bytes | None, value: Traced) -> Encoded:
    found = Encoded(data or b"")
    found.origins, found.is_null, found.record = value.origins, data is None, getattr(value, "record", None)
    inner = value.value
    if type(inner) is tuple:  # made by an operator: that of a user is inside of a traced value
        found.parts = [part.origins if type(part) is Traced else _PLAIN for part in inner]
    else:
        found.parts = None if type(inner) is not Traced else inner.origins
    return found


class Transit(LogRecord):
    """A record of a repartition topic, with the origins of its value, or of the parts of its value.

    `record` is the input record that it comes from.
    """

    origins: Origins
    parts: Any
    record: Origin | None

    @classmethod
    def of(cls, record: LogRecord, value: Encoded) -> "Transit":
        """Return a record whose value was encoded with origins."""
        topic, partition, offset, timestamp, key, _, headers, arrival, error = record
        data = None if value.is_null else bytes(value)
        made = cls(topic, partition, offset, timestamp, key, data, headers, arrival, error)
        made.origins, made.parts, made.record = value.origins, value.parts, value.record
        return made

    def traced(self, value: Any) -> Any:
        """Return the decoded value with its origins."""
        if value is None:
            return None
        if isinstance(self.parts, list):
            return tuple(
                part if part is None or origins is _PLAIN else Traced(part, origins)
                for part, origins in zip(value, self.parts, strict=True)
            )
        return Traced(value, self.parts)


class Result(NamedTuple):
    """A record that the flow writes to a topic, encoded, with its origins."""

    topic: str
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Headers
    partition: int | None
    origins: Origins


class TracedCodecs(Codecs):
    """Codecs that encode values with origins; what they decode has none yet.

    Args:
        codecs: The codecs of the run.
        written: The topics whose records are encoded; the values of others are not needed. None for all topics.
    """

    def __init__(self, codecs: Codecs, written: frozenset[str] | None) -> None:
        self._codecs, self._written = codecs, written

    def for_key(self, topic: str, key_type: Any) -> Codec:
        return self._codecs.for_key(topic, key_type)

    def for_value(self, topic: str, value_type: Any) -> Codec:
        codec = self._codecs.for_value(topic, value_type)
        return _TracedCodec(codec, encodes=self._written is None or topic in self._written)

    def for_state(self, value_type: Any) -> Codec:
        return _TracedCodec(self._codecs.for_state(value_type))

    def for_display(self, value_type: Any, topic: str = "") -> Codec:
        return self._codecs.for_display(value_type, topic)

    def configured(self, choices: Mapping[str, str]) -> Codecs:
        return TracedCodecs(self._codecs.configured(choices), self._written)

    def check(self, reads: Iterable[TopicTypes], writes: Iterable[TopicTypes]) -> None:
        self._codecs.check(reads, writes)


class _TracedCodec(Codec):
    def __init__(self, codec: Codec, *, encodes: bool = True) -> None:
        self._codec, self._encodes = codec, encodes
        self.headers_read = codec.headers_read
        self.decode = codec.decode  # type: ignore[method-assign] # called for each record

    def encode(self, value: Any) -> bytes | None:
        if not isinstance(value, Traced):
            return self._codec.encode(value)
        return _encoded(self._codec.encode(plain(value.value)) if self._encodes else b"", value)

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:  # pragma: no cover - replaced by that of the codec
        return self._codec.decode(data, headers)


def result_of(topic: str, key: bytes | None, value: bytes | None, rest: Sequence[Any]) -> Result:
    """Return an encoded result with its origins; one without origins, such as a dead letter, has none."""
    timestamp, headers, partition = rest
    if isinstance(value, Encoded):
        return Result(topic, key, None if value.is_null else bytes(value), timestamp, headers, partition, value.origins)
    return Result(topic, key, value, timestamp, headers, partition, None)
