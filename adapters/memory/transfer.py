"""Passes records and state of the memory engine through their encodings, so that a test meets what a run would meet."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from eddyline.application.operators.output import Output
from eddyline.application.ports.codec import Codec, CodecError, Codecs
from eddyline.application.ports.event_log import Headers
from eddyline.application.ports.state_store import StoreChange
from eddyline.application.runtime.plan.encoding import KeyEncoder, checked_key, repartition_keys
from eddyline.application.runtime.plan.topic_types import codec_type, state_codecs, store_types
from eddyline.application.runtime.task.state import NUMBERS
from eddyline.application.runtime.task.task import Task
from eddyline.application.topology import Topology
from eddyline.application.topology.forms import FormError, canonical_key, form_of, same, shortened
from eddyline.application.topology.nodes import SourceNode

_Pass: TypeAlias = Callable[[Any], Any]
"""Returns a key or a value as it comes back. Raises CodecError or FormError if that is not as it was."""


class _TopicCodecs(NamedTuple):
    """The codecs of a topic; `encode_key` encodes the one of all equal keys that a run writes."""

    encode_key: _Pass
    key: Codec
    value: Codec


class Transfer:
    """Passes on what Eddyline alone reads, records of repartition topics and state, in the forms in which a run would keep it.

    Every value is checked: it has to come back as it was.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._internal = frozenset(topology.repartition_topics)
        self._records: dict[tuple[str, str], tuple[_Pass, _Pass]] = {}
        self._state: dict[str, tuple[_Pass, _Pass]] = {}

    def check(self, output: Output) -> None:
        """Make sure that a record can be written to its topic. Raises CodecError."""
        if output.topic in self._internal:
            self.delivered(output)

    def delivered(self, output: Output) -> tuple[Any, Any]:
        """Return the key and the value of an output as those read them who read its topic. Raises CodecError."""
        topic, key, value, _, _, sink = output
        if topic not in self._internal:
            return key, value
        found = self._records.get((topic, sink.name))
        if found is None:
            found = self._records[topic, sink.name] = self._through_topic(topic, sink.key_type, sink.value_type)
        try:
            return found[0](key), found[1](value)
        except (CodecError, FormError) as error:
            raise _unwritable(output, error) from error

    def check_state(self, task: Task) -> None:
        """Make sure that what a task has changed in its stores can be kept. Raises CodecError."""
        for store, found in task.drain_stores():
            if found and store != NUMBERS:
                for change in found:
                    self._check_entry(store, change)

    def check_entries(self, changes: Iterable[tuple[str, StoreChange]]) -> None:
        """Make sure that entries of stores can be kept. Raises CodecError."""
        for store, change in changes:
            self._check_entry(store, change)

    def _check_entry(self, store: str, change: StoreChange) -> None:
        found = self._state.get(store)
        if found is None:
            found = self._state[store] = self._through_store(*store_types(self._topology.stores[store]))
        key, value = change
        try:
            found[0](key)
            found[1](value)
        except (CodecError, FormError) as error:
            raise CodecError(f"store '{store}' cannot keep the value of key {key!r}: {error}") from error

    def _through_topic(self, topic: str, key_type: object, value_type: object) -> tuple[_Pass, _Pass]:
        del topic
        return self._through_store(key_type, value_type)

    def _through_store(self, key_type: object, value_type: object) -> tuple[_Pass, _Pass]:
        canonical, through = canonical_key(key_type), _through_form(key_type)
        return lambda key: through(checked_key(canonical(key))), _through_form(value_type)


class TopicTransfer(Transfer):
    """Encodes and decodes the records of all topics, too; `codecs` are those of a run."""

    def __init__(self, topology: Topology, codecs: Codecs) -> None:
        super().__init__(topology)
        self._codecs = codecs
        self._writers: dict[tuple[str, str], _TopicCodecs] = {}
        self._readers = {
            node.topic: self._topic(node.topic, node.key_type, node.value_type)
            for node in topology.nodes
            if isinstance(node, SourceNode) and not node.repartition
        }

    def piped(self, topic: str, key: Any, value: Any, headers: Headers) -> tuple[Any, Any]:
        """Return the key and the value of a record as the topology reads them.

        Raises:
            CodecError: the codec of the topic cannot write the key or the value, or not read what it has written.
        """
        codecs = self._reader(topic)
        return (
            self._read(topic, "key", (codecs.encode_key, codecs.key), key, headers),
            self._read(topic, "value", (codecs.value.encode, codecs.value), value, headers),
        )

    def check(self, output: Output) -> None:
        super().check(output)
        if output.topic not in self._internal:
            self._encoded(output)

    def delivered(self, output: Output) -> tuple[Any, Any]:
        if output.topic in self._internal:
            return super().delivered(output)
        key, value = self._encoded(output)
        reader = self._reader(output.topic)
        return reader.key.decode(key, output.headers), reader.value.decode(value, output.headers)

    def _encoded(self, output: Output) -> tuple[bytes | None, bytes | None]:
        topic, key, value, _, _, sink = output
        found = self._writers.get((topic, sink.name))
        if found is None:
            found = self._writers[topic, sink.name] = self._topic(topic, sink.key_type, sink.value_type)
        try:
            return found.encode_key(key), found.value.encode(value)
        except CodecError as error:
            raise _unwritable(output, error) from error

    def _through_topic(self, topic: str, key_type: object, value_type: object) -> tuple[_Pass, _Pass]:
        kind = codec_type(key_type)
        keys = repartition_keys(self._codecs, topic, kind).codec
        encode, decode = KeyEncoder(keys, kind).encode, keys.decode
        return lambda key: decode(encode(key)), _through_codec(self._codecs.for_state(codec_type(value_type)))

    def _through_store(self, key_type: object, value_type: object) -> tuple[_Pass, _Pass]:
        key, value = state_codecs((key_type, value_type), self._codecs)
        return key.encode, _through_codec(value)

    def _read(self, topic: str, part: str, by: tuple[_Pass, Codec], content: Any, headers: Headers) -> Any:
        encode, codec = by
        try:
            return codec.decode(encode(content), headers)
        except CodecError as error:
            raise CodecError(f"the {part} {content!r} is not one of topic '{topic}': {error}") from error

    def _reader(self, topic: str) -> _TopicCodecs:
        """Return the codecs with which a topic is read, which may be one that matches a pattern."""
        found = self._readers.get(topic)
        if found is None:
            spec = self._topology.source_topic(topic)
            if spec is None:
                msg = f"the topology does not read topic '{topic}'"
                raise LookupError(msg)
            found = self._readers[topic] = self._topic(topic, spec.key_type, spec.value_type)
        return found

    def _topic(self, topic: str, key_type: object, value_type: object) -> _TopicCodecs:
        kind = codec_type(key_type)
        key = self._codecs.for_key(topic, kind)
        return _TopicCodecs(KeyEncoder(key, kind).encode, key, self._codecs.for_value(topic, codec_type(value_type)))


def _through_form(declared: object) -> _Pass:
    form = form_of(declared)
    exact = form.exact if form.plain else None

    def through(value: Any) -> Any:
        if value is None or (exact is not None and exact(value)):
            return value
        return _unchanged(value, form.load(form.dump(value)))

    return through


def _through_codec(codec: Codec) -> _Pass:
    return lambda value: _unchanged(value, codec.decode(codec.encode(value)))


def _unchanged(value: Any, found: Any) -> Any:
    if not same(value, found):
        raise CodecError(f"state does not preserve {shortened(value)}, which comes back as {shortened(found)}")
    return found


def _unwritable(output: Output, error: Exception) -> CodecError:
    return CodecError(
        f"operator '{output.sink.name}' cannot write the record with key {output.key!r} to topic '{output.topic}': {error}"
    )
