"""What an operator may ask of the task that runs it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from eddyline.application.operators.output import Output
from eddyline.application.topology.processor import Cancellable, PunctuationType
from eddyline.application.topology.records import Headers, RecordMetadata

StreamForward: TypeAlias = Callable[[Any, Any, int, Headers], None]
"""Hands a stream's record on: key, value, timestamp in ms, headers."""

TableForward: TypeAlias = Callable[[Any, Any, Any, int, Headers], None]
"""Hands a table's update on: key, new value, old value, timestamp in ms, headers."""

Forward: TypeAlias = Callable[..., None]

CachedUpdate: TypeAlias = tuple[Any, Any, int, Headers]
"""An update that waits for the commit: new value, old value, timestamp in ms, headers."""

NO_TIME = -1
"""The stream time before the first record."""


class Cell:
    """A number that an operator remembers between records and that outlives the process, such as its stream time."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


class Drop:
    """The reasons for which operators leave records out."""

    NULL_KEY = "null-key"
    NULL_VALUE = "null-value"
    NULL_JOIN_KEY = "null-join-key"
    LATE = "late"
    EXPIRED = "expired"
    NO_WINDOW = "no-window"
    INVALID_TIMESTAMP = "invalid-timestamp"
    UNDECODABLE = "undecodable"


class OperatorContext(ABC):
    """The task, as its operators see it. Everything is asked for once, when the chain is linked, but `drop`."""

    @abstractmethod
    def store(self, name: str) -> Any:
        """The store of this name."""

    @abstractmethod
    def cell(self, name: str) -> Cell:
        """The number of this name, NO_TIME at first."""

    @abstractmethod
    def emission(self, step: str, forward: TableForward) -> TableForward:
        """How a table's updates leave a step: at once, or the latest of each key when the task commits."""

    @property
    @abstractmethod
    def emits_latest(self) -> bool:
        """Whether only the latest update of each key leaves a step, when the task commits."""

    @abstractmethod
    def cached_updates(self, store: str) -> Mapping[Any, CachedUpdate]:
        """The updates of the table in a store that wait for the commit, by key, as they are whenever one looks."""

    @abstractmethod
    def on_commit(self, callback: Callable[[], None]) -> None:
        """Calls back at every commit, after the steps before this one."""

    @abstractmethod
    def is_shared(self, store: str) -> bool:
        """Whether more than one step uses the store."""

    @abstractmethod
    def drop(self, step: str, reason: str, key: Any, value: Any, timestamp: int, headers: Headers) -> None:
        """Counts a record that is left out at a step, and hands it to whoever asked for such records."""

    @property
    @abstractmethod
    def outbox(self) -> list[Output]:
        """Where steps put what they give to topics; it is one list for as long as the task lives."""

    @abstractmethod
    def schedule(self, name: str, interval_ms: int, kind: PunctuationType, callback: Callable[[int], None]) -> Cancellable:
        """Calls back every `interval_ms` by stream time or wall clock; under `name` the next due time outlives the process."""

    @abstractmethod
    def on_close(self, callback: Callable[[], None]) -> None:
        """Calls back when the task is closed."""

    @abstractmethod
    def current_stream_time_ms(self) -> int:
        """The greatest timestamp that the task has seen, NO_TIME before the first."""

    @abstractmethod
    def current_system_time_ms(self) -> int:
        """The wall clock, as the engine last told it."""

    @property
    @abstractmethod
    def task_id(self) -> str:
        """Sub-topology and partition, such as `0_2`."""

    @property
    @abstractmethod
    def metadata(self) -> RecordMetadata | None:
        """Where the record that is being processed came from; None during punctuation."""
