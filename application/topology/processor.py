"""The Processor API: user-defined processors with state stores and punctuation.

Every task has its own processor, which the supplier creates. All times are milliseconds since the epoch. A task calls `init`
first, then `process` for each record and the punctuations that are due, `on_commit` at each commit, and `close` after its last
commit; of several processors first those upstream. After a failure `close` is called without a commit, or not at all if the
process has ended.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from eddyline.application.topology.metrics import Metrics
from eddyline.application.topology.records import Headers, RecordMetadata
from eddyline.application.topology.windows import Duration

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class PunctuationType(Enum):
    """The clock that a punctuation follows."""

    STREAM_TIME = "stream-time"
    """The greatest timestamp of the task's records so far."""
    WALL_CLOCK_TIME = "wall-clock-time"
    """The time of the system clock, or of the test that advances the clock."""


class Record(NamedTuple, Generic[K, V]):
    """An immutable record, as processors receive and forward it.

    Attributes:
        key: The key.
        value: The value, None for a deletion.
        timestamp: The event time in ms since the epoch.
        headers: The headers in order, pairs of a name and bytes or None.
    """

    key: K
    value: V
    timestamp: int
    headers: Headers = ()

    def with_key(self, key: K2) -> "Record[K2, V]":
        """Return a copy with another key."""
        return Record(key, self.value, self.timestamp, self.headers)

    def with_value(self, value: V2) -> "Record[K, V2]":
        """Return a copy with another value."""
        return Record(self.key, value, self.timestamp, self.headers)

    def with_timestamp(self, timestamp: int) -> "Record[K, V]":
        """Return a copy with another timestamp."""
        return Record(self.key, self.value, timestamp, self.headers)

    def with_headers(self, headers: Headers) -> "Record[K, V]":
        """Return a copy with other headers."""
        return Record(self.key, self.value, self.timestamp, headers)


class Cancellable(Protocol):
    """A scheduled punctuation."""

    def cancel(self) -> None:
        """Cancel the punctuation: its callback is not called again."""


class ProcessorContext(ABC, Generic[K, V]):
    """Gives a processor access to its task; K and V are the types of the records that it forwards."""

    @property
    @abstractmethod
    def task_id(self) -> str:
        """The index of the sub-topology and the partition, such as `0_2`."""

    @property
    @abstractmethod
    def record_metadata(self) -> RecordMetadata | None:
        """The position and timestamp of the record that is being processed, None during punctuation."""

    @property
    @abstractmethod
    def metrics(self) -> Metrics:
        """Counters, gauges and sensors of the processor, which are shown with the metrics of the run."""

    @abstractmethod
    def forward(self, record: Record[K, V], *, to: str | None = None) -> None:
        """Forward a record to all child nodes, or only to the child named `to`.

        Raises:
            LookupError: If there is no such child.
            ValueError: If a `FixedKeyProcessor` forwards another key.
        """

    @abstractmethod
    def drop(self, record: Record[Any, Any], reason: str) -> None:
        """Count a record as dropped, for a reason such as `null-key`; with `dead.letter.drops` it becomes a dead letter."""

    @abstractmethod
    def state_store(self, name: str) -> Any:
        """Return the store of this name.

        Raises:
            LookupError: If the processor is not connected to the store.
        """

    @abstractmethod
    def schedule(self, interval: Duration, kind: PunctuationType, callback: Callable[[int], None]) -> Cancellable:
        """Call `callback` every `interval` with the current time in ms since the epoch.

        Stream-time punctuations fire with the first record, then whenever stream time reaches or passes a multiple of the
        interval. Wall-clock punctuations fire at multiples of the interval from now on. If several are due at once the
        callback is called once.

        Args:
            interval: Milliseconds, or a `timedelta`; at least 1 ms.
            kind: Whether `interval` is measured in stream time or in wall-clock time.
            callback: The function to call.

        Returns:
            The punctuation, which can be cancelled.
        """

    @abstractmethod
    def commit(self) -> None:
        """Request a commit as soon as possible.

        The engine `local` commits when it has processed what it has read, `MemoryEngine` after the record. Spark and runs in
        memory commit at the end of each batch anyway.
        """

    @abstractmethod
    def current_stream_time_ms(self) -> int:
        """Return the greatest timestamp of the task's records so far, -1 before the first."""

    @abstractmethod
    def current_system_time_ms(self) -> int:
        """Return the wall-clock time as the engine last set it, in ms since the epoch."""


class Processor(ABC, Generic[K, V, K2, V2]):
    """A user-defined processor: receives records with keys K and values V, forwards records with keys K2 and values V2."""

    def init(self, context: ProcessorContext[K2, V2]) -> None:
        """Initialize the processor, before the first record; override it to get stores and to schedule punctuations."""
        self.context = context

    @abstractmethod
    def process(self, record: Record[K, V]) -> None:
        """Process one record."""

    def on_commit(self) -> None:
        """Do what belongs to a commit, such as forwarding what was collected; it is called before results and state are written.

        It is called after the tables upstream have forwarded their latest updates, and at each commit of a task that has
        processed something since the last one.
        """

    def close(self) -> None:
        """Release resources, after the last commit: as in Kafka Streams, nothing can be written any more.

        Do not close stores. `forward` raises an error; forward in `on_commit` what is left. What is put into stores is lost.
        """


class ValueTransformerWithKey(ABC, Generic[K, V, V2]):
    """A user-defined transformer of the values of a table, with state stores and punctuation; it cannot forward records."""

    def init(self, context: ProcessorContext[Any, Any]) -> None:
        """Initialize the transformer, before the first row; override it to get stores and to schedule punctuations."""
        self.context = context

    @abstractmethod
    def transform(self, key: K, value: V | None) -> V2 | None:
        """Return the new value of a row; `value` is None for a deleted row, and None deletes the row of the result."""

    def on_commit(self) -> None:
        """Do what belongs to a commit, such as putting what was collected into stores."""

    def close(self) -> None:
        """Release resources, after the last commit; do not close stores."""


class FixedKeyProcessor(Processor[K, V, K, V2]):
    """A user-defined processor that must forward every record with the key of the record that it received."""
