"""Passes records and state of the memory engine through codecs, so that a test meets what a run would meet."""

from collections.abc import Callable
from typing import Any

from eddyline.application.operators.output import Output
from eddyline.application.ports.codec import Codec, CodecError, Codecs
from eddyline.application.ports.event_log import Headers
from eddyline.application.runtime.state_codecs import state_codecs
from eddyline.application.runtime.task import Task
from eddyline.application.runtime.topic_types import codec_type
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import SourceNode

_Pair = tuple[Codec, Codec]
_Encode = Callable[[Any], bytes | None]


class Transfer:
    """Encodes and decodes the records of a topology; `codecs` are those of a run."""

    def __init__(self, topology: Topology, codecs: Codecs) -> None:
        self._topology, self._codecs = topology, codecs
        self._internal = frozenset(topology.repartition_topics)
        self._readers = {
            node.topic: self._pair(node.topic, node.key_type, node.value_type)
            for node in topology.nodes
            if isinstance(node, SourceNode)
        }
        self._writers: dict[tuple[str, str], _Pair] = {}
        self._state: dict[str, tuple[_Encode, _Encode]] = {}

    def piped(self, topic: str, key: Any, value: Any, headers: Headers) -> tuple[Any, Any]:
        """Return the key and the value of a record as the topology reads them.

        Raises:
            CodecError: the codec of the topic cannot write the key or the value, or not read what it has written.
        """
        codecs = self._reader(topic)
        return self._through(topic, "key", codecs[0], key, headers), self._through(topic, "value", codecs[1], value, headers)

    def check(self, output: Output) -> None:
        """Make sure that a record can be written to its topic. Raises CodecError."""
        self._encoded(output)

    def delivered(self, output: Output) -> tuple[Any, Any]:
        """Return the key and the value of an output as those read them who read its topic. Raises CodecError."""
        key, value = self._encoded(output)
        read_key, read_value = self._reader(output.topic)
        return read_key.decode(key, output.headers), read_value.decode(value, output.headers)

    def check_state(self, task: Task) -> None:
        """Make sure that what a task has changed in its stores can be kept. Raises CodecError."""
        for store, (key, value) in task.drain_changes():
            encoders = self._state.get(store)
            if encoders is None:
                codecs = state_codecs(task.state_types(store), self._codecs)
                encoders = self._state[store] = (codecs.key.encode, codecs.value.encode)
            try:
                encoders[0](key)
                encoders[1](value)
            except CodecError as error:
                raise CodecError(f"store '{store}' cannot keep the value of key {key!r}: {error}") from error

    def _encoded(self, output: Output) -> tuple[bytes | None, bytes | None]:
        topic, key, value, _, _, sink = output
        found = self._writers.get((topic, sink.name))
        if found is None:
            found = self._writers[topic, sink.name] = self._pair(topic, sink.key_type, sink.value_type)
        try:
            return found[0].encode(key), found[1].encode(value)
        except CodecError as error:
            raise CodecError(
                f"operator '{sink.name}' cannot write the record with key {key!r} to topic '{topic}': {error}"
            ) from error

    def _through(self, topic: str, part: str, codec: Codec, content: Any, headers: Headers) -> Any:
        try:
            return codec.decode(codec.encode(content), headers)
        except CodecError as error:
            raise CodecError(f"the {part} {content!r} is not one of topic '{topic}': {error}") from error

    def _reader(self, topic: str) -> _Pair:
        """Return the codecs with which a topic is read, which may be one that matches a pattern."""
        found = self._readers.get(topic)
        if found is None:
            spec = self._topology.source_topic(topic)
            if spec is None:
                msg = f"the topology does not read topic '{topic}'"
                raise LookupError(msg)
            found = self._readers[topic] = self._pair(topic, spec.key_type, spec.value_type)
        return found

    def _pair(self, topic: str, key_type: object, value_type: object) -> _Pair:
        """Return the codecs of a topic; values of repartition topics are encoded like those of stores."""
        key, value = self._codecs.for_key(topic, codec_type(key_type)), codec_type(value_type)
        return key, self._codecs.for_state(value) if topic in self._internal else self._codecs.for_value(topic, value)
