"""How values become bytes and bytes become values."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, NamedTuple

from eddyline.application.ports.event_log import Headers


class CodecError(ValueError):
    """These bytes (or this value) do not fit the codec; the message says why. The record goes to the dead letters."""


class CodecUnavailableError(RuntimeError):
    """The codec cannot work now (a registry is down): nothing is wrong with the record, try again later."""


class Codec(ABC):
    """Turns values of one type into bytes and back.

    `headers_read` names the headers of a record that `decode` looks at. They say how these bytes are to be read and nothing of
    what is made of the record, so they end where it is read.
    """

    headers_read: frozenset[str] = frozenset()

    @abstractmethod
    def encode(self, value: Any) -> bytes | None:
        """The value as bytes; None for None. Raises CodecError for a value the codec cannot hold."""

    @abstractmethod
    def decode(self, data: bytes | None, headers: Headers = ()) -> Any:
        """The value in the bytes; None for None. Raises CodecError for bytes that hold no such value.

        `headers` are the record's; they may be left out where none of them is among `headers_read`.
        """


class TopicTypes(NamedTuple):
    """A topic and the types of its keys and values; a type of None where nothing is to be said of it."""

    topic: str
    key_type: Any
    value_type: Any


class Codecs(ABC):
    """Chooses the codec of a topic's keys and values, and of what state keeps.

    Instances are picklable before their first use.
    """

    @abstractmethod
    def for_key(self, topic: str, key_type: Any) -> Codec:
        """The codec of the keys of a topic; `key_type` is the Python type that the topology knows, Any where it knows none."""

    @abstractmethod
    def for_value(self, topic: str, value_type: Any) -> Codec:
        """The codec of the values of a topic."""

    @abstractmethod
    def for_state(self, value_type: Any) -> Codec:
        """The codec of what is kept in state or travels inside an engine: self-contained, needs no registry."""

    def check(self, reads: Iterable[TopicTypes], writes: Iterable[TopicTypes]) -> None:
        """Looks, before a flow starts, whether what its topics hold goes with its types; formats without schemas have no say.

        Raises CodecUnavailableError with every topic that does not fit, and the reason.
        """
        del reads, writes
