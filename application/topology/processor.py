"""The Processor API: steps written by hand, with stores and a clock.

A processor belongs to one task; its supplier is called once for each task. All times are milliseconds since the epoch.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from eddyline.application.topology.records import Headers, RecordMetadata
from eddyline.application.topology.windows import Duration

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class PunctuationType(Enum):
    """Which clock a punctuation follows."""

    STREAM_TIME = "stream-time"
    WALL_CLOCK_TIME = "wall-clock-time"


class Record(NamedTuple, Generic[K, V]):
    """A record as processors take and give it; it is never changed, but copied with something else in it."""

    key: K
    value: V
    timestamp: int
    headers: Headers = ()

    def with_key(self, key: K2) -> "Record[K2, V]":
        """The record under another key."""
        return Record(key, self.value, self.timestamp, self.headers)

    def with_value(self, value: V2) -> "Record[K, V2]":
        """The record with another value."""
        return Record(self.key, value, self.timestamp, self.headers)

    def with_timestamp(self, timestamp: int) -> "Record[K, V]":
        """The record at another time."""
        return Record(self.key, self.value, timestamp, self.headers)

    def with_headers(self, headers: Headers) -> "Record[K, V]":
        """The record with other headers."""
        return Record(self.key, self.value, self.timestamp, headers)


class Cancellable(Protocol):
    """A punctuation that was scheduled."""

    def cancel(self) -> None:
        """Makes no further calls."""


class ProcessorContext(ABC, Generic[K, V]):
    """What a processor may ask of its task; K and V are the types that it forwards."""

    @property
    @abstractmethod
    def task_id(self) -> str:
        """Sub-topology and partition, such as `0_2`."""

    @property
    @abstractmethod
    def record_metadata(self) -> RecordMetadata | None:
        """Where the record that is being processed came from; None during punctuation."""

    @abstractmethod
    def forward(self, record: Record[K, V], *, to: str | None = None) -> None:
        """Hands a record to all children, or to the child named `to`. Raises LookupError when there is no such child."""

    @abstractmethod
    def state_store(self, name: str) -> Any:
        """The store of this name. Raises LookupError when the step was not connected with it."""

    @abstractmethod
    def schedule(self, interval: Duration, kind: PunctuationType, callback: Callable[[int], None]) -> Cancellable:
        """Calls back every `interval` with the time: stream time or wall clock, as `kind` says.

        Stream-time calls fire with the first record and then on the multiples of the interval that stream time reaches or
        passes; wall-clock calls fire on the grid that begins now. Times that pass unseen together bring one call.
        """

    @abstractmethod
    def current_stream_time_ms(self) -> int:
        """The greatest timestamp that the task has seen, -1 before the first."""

    @abstractmethod
    def current_system_time_ms(self) -> int:
        """The wall clock, as the engine last told it."""


class Processor(ABC, Generic[K, V, K2, V2]):
    """A step written by hand: takes records of K and V, forwards records of K2 and V2."""

    def init(self, context: ProcessorContext[K2, V2]) -> None:
        """Called once before the first record; the context stays valid."""
        self.context = context

    @abstractmethod
    def process(self, record: Record[K, V]) -> None:
        """Takes one record."""

    def close(self) -> None:
        """Called once after the last record."""


class FixedKeyProcessor(Processor[K, V, K, V2]):
    """A step written by hand that keeps the key: what it forwards has the key of the record that it was given."""
