"""The interface between an operator and the task that runs it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeAlias

from eddyline.application.operators.columns import RecordColumns
from eddyline.application.operators.output import Output
from eddyline.application.operators.update_columns import UpdateColumns
from eddyline.application.ports.state_store import UndoLog
from eddyline.application.topology.metrics import Metrics
from eddyline.application.topology.processor import Cancellable, PunctuationType
from eddyline.application.topology.records import Headers, RecordMetadata

StreamForward: TypeAlias = Callable[[Any, Any, int, Headers], None]
"""Forwards a record of a stream: key, value, timestamp in ms since the epoch, headers."""

TableForward: TypeAlias = Callable[[Any, Any, Any, int, Headers], None]
"""Forwards an update of a table: key, new value, old value, timestamp in ms since the epoch, headers."""

Forward: TypeAlias = Callable[..., None]

ProcessMany: TypeAlias = Callable[[RecordColumns], None]
"""Processes many records of a stream in order; their keys can be read once."""

UpdatesForward: TypeAlias = Callable[[UpdateColumns], None]
"""Forwards many updates of a table in order."""


class Drop(Protocol):
    """Drops a record at a node; a late one with the number of its windows that are closed."""

    def __call__(
        self, node: str, reason: str, key: Any, value: Any, timestamp: int, headers: Headers, late_windows: int = 0, /
    ) -> None:
        """Drop the record."""


CachedUpdate: TypeAlias = tuple[Any, Any, int, Headers]
"""An update in the cache until the next commit: new value, old value, timestamp in ms since the epoch, headers."""


def to_nobody(*_record: Any) -> None:
    """Ignore the records that a node without children forwards."""


NO_TIME = -1
"""The stream time before the first record."""


class Cell:
    """A number that an operator keeps between records and that is part of the task's state, such as its stream time."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


class DropReason:
    """The reasons for which records are dropped."""

    NULL_KEY = "null-key"
    NULL_VALUE = "null-value"
    NULL_JOIN_KEY = "null-join-key"
    LATE = "late"
    EXPIRED = "expired"
    OUT_OF_ORDER = "out-of-order"
    NO_WINDOW = "no-window"
    INVALID_TIMESTAMP = "invalid-timestamp"
    NO_PARTITION = "no-partition"
    UNDECODABLE = "undecodable"
    PROCESSING_ERROR = "processing-error"
    PRODUCTION_ERROR = "production-error"


class OperatorContext(ABC):
    """A task as its operators see it. Operators call its methods once, when they are linked; only `drop` once per record.

    `undo` has the functions that undo the changes of the current record; it is None if an exception ends the run anyway. An
    operator whose state is neither in stores nor in cells adds functions that undo the changes of that state.
    """

    undo: UndoLog | None = None

    @abstractmethod
    def store(self, name: str) -> Any:
        """Return the store of this name."""

    @abstractmethod
    def is_versioned(self, store: str) -> bool:
        """Return whether the store of this name is versioned."""

    @abstractmethod
    def cell(self, name: str) -> Cell:
        """Return the cell of this name; its value is NO_TIME at first."""

    @abstractmethod
    def keep_time(self, node: str, stream_time: Cell, emit: Callable[[], None] | None = None) -> None:
        """Register the stream time of an operator, so that it follows the wall clock while the operator's sources are idle.

        `emit` is called whenever that has advanced it, to emit the results of windows that have closed.
        """

    @abstractmethod
    def emission(self, node: str, forward: TableForward) -> TableForward:
        """Return the function that emits a table's updates: each at once, or the latest per key at the next commit.

        `forward` is that of the node. At the commit, nothing is emitted if there was no value before and is none.
        """

    @abstractmethod
    def separate_emission(self, node: str, forward: TableForward) -> TableForward:
        """Return the function that emits updates of rows that are not kept, so that none replaces the one before."""

    @abstractmethod
    def is_cached(self, node: str) -> bool:
        """Return whether a table's node emits only the latest update per key, at each commit."""

    @property
    @abstractmethod
    def emits_latest(self) -> bool:
        """Whether tables emit only the latest update per key, at each commit, unless their nodes say otherwise."""

    @property
    @abstractmethod
    def has_caches(self) -> bool:
        """Whether any table of the task emits only the latest update per key."""

    @abstractmethod
    def cached_updates(self, store: str) -> Mapping[Any, CachedUpdate]:
        """Return a live mapping, by key, of the updates of the table in a store that are cached until the next commit."""

    @abstractmethod
    def on_commit(self, callback: Callable[[], None], node: str | None = None) -> None:
        """Call `callback` at every commit, after those of the operators upstream; that of a `node` may fail by itself."""

    @abstractmethod
    def process_many(self, node: str, process_all: ProcessMany) -> None:
        """Register a function that processes many records of a node, in less time than the node's function for each of them."""

    @abstractmethod
    def columns_forward(self, node: str, forward: TableForward) -> UpdatesForward | None:
        """Return a function that forwards many updates of a table's node, in less time than one by one; None if there is none.

        `forward` forwards one of them, to find out for which of them it fails.
        """

    @abstractmethod
    def updates_forward(self, node: str, forward: TableForward) -> UpdatesForward:
        """Return a function that forwards many updates of a table's node at a commit, as `forward` does one.

        Those of rows that neither existed before nor exist are left out. No record causes them: if one fails and the run goes on,
        only its own changes are undone.
        """

    @abstractmethod
    def as_one_or_each(self, node: str, whole: Callable[[], None], each: Iterable[tuple[Any, Callable[[], None]]]) -> None:
        """Do something that no record causes for a node.

        If it fails and the run goes on, it is undone, and its parts are done instead, given with their keys: of those that fail
        only their own changes are undone.
        """

    @abstractmethod
    def on_restore(self, callback: Callable[[], None]) -> None:
        """Call `callback` when entries or cells were restored, so that what is derived from them is derived again."""

    @abstractmethod
    def scratch(self) -> dict[Any, Any]:
        """Return a new dictionary for what an operator remembers until the next commit; its assignments are undone."""

    @abstractmethod
    def isolated(self, forward: Forward) -> Forward:
        """Return a function for what the current record does not cause, such as the result of a window that closes.

        If it fails and the run goes on, only its own changes are undone, and the current record is processed.
        """

    @abstractmethod
    def is_shared(self, store: str) -> bool:
        """Return whether more than one node uses the store."""

    @abstractmethod
    def drop(
        self, node: str, reason: str, key: Any, value: Any, timestamp: int, headers: Headers, late_windows: int = 0, /
    ) -> None:
        """Drop a record at a node: count it by node and reason, and keep it if the run collects dropped records.

        A late record is dropped once, with the number of its windows that are closed; it may count in others.
        """

    @property
    @abstractmethod
    def output(self) -> list[Output]:
        """The list that sinks append outputs to; it stays the same list as long as the task lives."""

    @abstractmethod
    def schedule(self, name: str, interval_ms: int, kind: PunctuationType, callback: Callable[[int], None]) -> Cancellable:
        """Schedule a punctuation every `interval_ms`; its next due time is part of the task's state under `name`."""

    @abstractmethod
    def metrics(self, node: str) -> Metrics:
        """Return the metrics of a node with user-defined code."""

    @abstractmethod
    def on_close(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the task is closed; those of upstream nodes are called first."""

    @abstractmethod
    def request_commit(self) -> None:
        """Let the engine commit as soon as possible."""

    @abstractmethod
    def current_stream_time_ms(self) -> int:
        """Return the greatest timestamp of the task's records so far, NO_TIME before the first."""

    @abstractmethod
    def current_system_time_ms(self) -> int:
        """Return the wall-clock time as the engine last set it, in ms since the epoch."""

    @property
    @abstractmethod
    def task_id(self) -> str:
        """The index of the sub-topology and the partition, such as `0_2`."""

    @property
    @abstractmethod
    def metadata(self) -> RecordMetadata | None:
        """The position and timestamp of the record that is being processed, None during punctuation."""

    @abstractmethod
    def call_for(self, metadata: RecordMetadata, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a function returns that sees this metadata, in place of that of the record that is being processed."""
