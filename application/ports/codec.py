"""The port of codecs, which convert keys, values and state to bytes and back."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from eddyline.application.ports.availability import ServiceUnavailableError
from eddyline.application.ports.event_log import Headers


class CodecError(ValueError):
    """A value cannot be encoded, or data cannot be decoded; the message has the reason. The record becomes a dead letter."""


def in_one_line(error: BaseException) -> str:
    """Return the class and the message of an error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


class UnsupportedTypeError(TypeError):
    """A codec cannot represent a type; the message has what is of this type, and the codecs or types to choose from."""


class CodecUnavailableError(ServiceUnavailableError):
    """A codec cannot work at the moment, for example because a schema registry is down; no record is invalid."""


class Codec(ABC):
    """A serializer and deserializer of the values of one type.

    `headers_read` has the names of the record headers that `decode` reads, such as those with a schema id. They describe only
    the encoded record, so they are removed when it is decoded. A codec of windowed keys that writes the keys inside as another
    codec does has it in `base`.
    """

    headers_read: frozenset[str] = frozenset()
    base: "Codec | None" = None

    @abstractmethod
    def encode(self, value: Any) -> bytes | None:
        """Return the encoded value, or None for None.

        Raises:
            CodecError: the codec does not support the value.
        """

    def encode_all(self, values: Sequence[Any]) -> Sequence[bytes | None]:
        """Return many encoded values, each as `encode` returns it.

        Raises:
            CodecError: the codec does not support one of the values.
        """
        return list(map(self.encode, values))

    @abstractmethod
    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        """Return the decoded value, or None for None.

        Args:
            data: the encoded value.
            headers: the headers of the record; they may be omitted if none of them is in `headers_read`.

        Raises:
            CodecError: the data is invalid.
        """

    def decode_all(self, column: Sequence[bytes | None]) -> Sequence[Any]:
        """Return many decoded values, each as `decode` returns it without headers.

        Raises:
            CodecError: one of the values is invalid.
        """
        return list(map(self.decode, column))


class TopicTypes(NamedTuple):
    """A topic and the types of its keys and values; a type that is None is not checked."""

    topic: str
    key_type: Any
    value_type: Any


class Codecs(ABC):
    """The codecs of topics and of state. Instances can be pickled until they are first used."""

    @abstractmethod
    def for_key(self, topic: str, key_type: Any) -> Codec:
        """Return the codec of a topic's keys; `key_type` is their Python type, Any if the topology does not know it."""

    @abstractmethod
    def for_value(self, topic: str, value_type: Any) -> Codec:
        """Return the codec of a topic's values; `value_type` is their Python type, Any if the topology does not know it."""

    @abstractmethod
    def for_state(self, value_type: Any) -> Codec:
        """Return the codec of state, and of records that an engine transfers between tasks; it needs no schema registry."""

    def for_display(self, value_type: Any, topic: str = "") -> Codec:
        """Return the codec of JSON that is shown to people, with the names that fields have in a topic, or else by default."""
        del topic
        return self.for_state(value_type)

    def shown_names(self, topic: str = "") -> Literal["as-declared", "camelCase"]:
        """Return what fields are called where the values of a topic are shown, or others."""
        del topic
        return "as-declared"

    def configured(self, choices: Mapping[str, str]) -> "Codecs":
        """Return these codecs with the choices of a flow where the settings make none.

        Args:
            choices: `names` and `types`, each also with `.<topic>`, as `Topology.type_choices` has them.
        """
        del choices
        return self

    def check(self, reads: Iterable[TopicTypes], writes: Iterable[TopicTypes]) -> None:
        """Check before a flow starts that the schemas of its topics are compatible with its types.

        Formats without schemas are always compatible.

        Args:
            reads: the topics that the flow reads.
            writes: the topics that it writes; their schemas are registered.

        Raises:
            CodecUnavailableError: some topics are incompatible, and the message has their names and the reasons; or the schema
                registry is unavailable.
        """
        del reads, writes
