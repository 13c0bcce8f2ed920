"""Encodes keys, so that equal keys have equal bytes."""

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, NamedTuple, get_args, get_origin

from eddyline.application.operators.dictionary_column import DictionaryColumn
from eddyline.application.ports.codec import Codec, CodecError, Codecs, UnsupportedTypeError
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.plan.partitioner import LONGEST_CACHED_KEY
from eddyline.application.topology.forms import canonical_key, cure, described, form_of, is_canonical
from eddyline.application.topology.types import without_none
from eddyline.application.topology.windows import Windowed

_AT_HAND = 1 << 12
"""So many keys stay in the caches of the processor."""


def is_slow_to_look_up(column: Sequence[Hashable], cached: Collection[Hashable]) -> bool:
    """Return whether finding the keys of a column among those that are cached takes longer than decoding or encoding them.

    It does if most of them are different and more keys are cached than the processor keeps at hand.
    """
    return len(cached) > _AT_HAND and len(set(column)) > len(column) // 2


_CACHED_KEYS = 1 << 16
_TEXT_TYPES = (str, bytes)
_SIMPLE_TYPES = (str, bytes, int, float, bool)


class StateKeyCodec(Codec):
    """Keys in state: of all keys that are equal, the same one is encoded.

    Args:
        codec: The codec of state of their type.
        key_type: Their type.
    """

    def __init__(self, codec: Codec, key_type: Any) -> None:
        self._codec, self.canonical = codec, canonical_key(key_type)
        form = form_of(key_type)
        self._is_alone = form.exact if form.plain and is_canonical(key_type) else None
        self._are_alone = form.exact_all
        self.decode = codec.decode  # type: ignore[method-assign] # called for each entry
        self.decode_all = codec.decode_all  # type: ignore[method-assign]

    def encode(self, value: Any) -> bytes | None:
        """Return the encoded key. Raises CodecError, also for what cannot be a key."""
        if self._is_alone is not None and self._is_alone(value):
            return self._codec.encode(value)
        return self._codec.encode(checked_key(self.canonical(value)))

    def encode_all(self, values: Sequence[Any]) -> Sequence[bytes | None]:
        """Return many encoded keys."""
        if self._is_alone is not None and self._are_alone(values):
            return self._codec.encode_all(values)
        return super().encode_all(values)

    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:  # pragma: no cover - replaced by that of the codec
        """Return the decoded key."""
        return self._codec.decode(data, headers)


def checked_key(key: Any) -> Any:
    """Return a key that can be found again.

    Raises:
        CodecError: it has no hash, or is not equal to itself.
    """
    try:
        hash(key)
    except TypeError:
        raise CodecError(f"{described(key)} has no hash, so it cannot be a key; use {cure(type(key))}") from None
    if key != key:  # noqa: PLR0124 - not a number
        raise CodecError(f"{described(key)} is not equal to itself, so it cannot be a key")
    return key


class RepartitionKeys(NamedTuple):
    """How the keys of a repartition topic are encoded.

    Attributes:
        codec: Encodes the keys in its records, which Eddyline alone reads.
        partitioned: Encodes the keys that choose the partitions, as in other topics of the same type, so that both can be joined;
            None if that is the same.
    """

    codec: Codec
    partitioned: Codec | None


def repartition_keys(codecs: Codecs, topic: str, key_type: Any) -> RepartitionKeys:
    """Return how the keys of a repartition topic are encoded.

    Args:
        codecs: The codecs of the flow.
        topic: The full name of the topic.
        key_type: The type of its keys, Any if it is unknown.
    """
    kind = without_none(key_type)
    if (get_args(kind)[0] if get_origin(kind) is Windowed else kind) in _SIMPLE_TYPES:
        return RepartitionKeys(codecs.for_key(topic, key_type), None)
    state = StateKeyCodec(codecs.for_state(key_type), key_type)
    try:
        return RepartitionKeys(state, codecs.for_key(topic, key_type))
    except UnsupportedTypeError:  # so no other topic can have such keys in this format
        return RepartitionKeys(state, None)


class KeyEncoder:
    """Encodes the keys of a topic, one or many at once.

    Of all keys that are equal, the same one is encoded. The bytes of str and bytes keys of moderate length, windowed or not,
    are cached.
    """

    def __init__(self, codec: Codec, key_type: object) -> None:
        canonical = canonical_key(key_type)
        self.encode: Callable[[Any], bytes | None] = lambda key: codec.encode(canonical(key))
        self._codec = codec
        self._kind: type | None = None
        self._cached: dict[Hashable, bytes | None] = {}
        windowed = get_origin(key_type) is Windowed
        of_keys = get_args(key_type)[0] if windowed else key_type
        if of_keys in _TEXT_TYPES:
            self.encode = _cached_encoder(codec.encode, self.encode, Windowed if windowed else of_keys, self._cached)
            self._kind = Windowed if windowed else of_keys

    def encode_all(self, keys: Sequence[Any]) -> Sequence[bytes | None]:
        """Return many encoded keys."""
        if isinstance(keys, DictionaryColumn):
            return keys.of(self.encode_all(keys.distinct))
        if self._kind is None or set(map(type, keys)) != {self._kind}:
            return list(map(self.encode, keys))
        if is_slow_to_look_up(keys, self._cached):
            return self._codec.encode_all(keys)
        found = list(map(self._cached.get, keys))
        if all(found):
            return found
        new = [key for key, data in zip(keys, found, strict=True) if data is None]
        encoded = self._codec.encode_all(new)
        for key, data in zip(new, encoded, strict=True):
            _cache(self._cached, key, data)
        left = iter(encoded)
        return [next(left) if data is None else data for data in found]


def _cached_encoder(
    encode: Callable[[Any], bytes | None],
    encode_other: Callable[[Any], bytes | None],
    kind: object,
    cached: dict[Hashable, bytes | None],
) -> Callable[[Any], bytes | None]:
    def encode_cached(key: Any) -> bytes | None:
        if type(key) is not kind:
            return encode_other(key)
        found = cached.get(key)
        if found is None:
            found = encode(key)
            _cache(cached, key, found)
        return found

    return encode_cached


def _cache(cached: dict[Hashable, bytes | None], key: Hashable, data: bytes | None) -> None:
    if data is not None and len(data) <= LONGEST_CACHED_KEY:
        if len(cached) >= _CACHED_KEYS:
            cached.clear()
        cached[key] = data
