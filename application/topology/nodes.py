"""The steps of a topology as frozen data, one class for each primitive; the fluent verbs are composed of these."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from eddyline.application.topology.records import SourceRecord
from eddyline.application.topology.types import UNKNOWN
from eddyline.application.topology.windows import EnumerableWindows


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A step: its name, the steps it hears, the stores it uses and the types of what it gives."""

    name: str
    parents: tuple[str, ...] = ()
    stores: tuple[str, ...] = ()
    key_type: object = UNKNOWN
    value_type: object = UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceNode(Node):
    """Reads a topic. `timestamp_extractor` gives the event time in ms since the epoch, or None or less than 0 for none."""

    topic: str
    timestamp_extractor: Callable[[SourceRecord], int | None] | None = None
    repartition: bool = False
    global_: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkNode(Node):
    """Writes to a topic, or to the one that a function of key and value names."""

    topic: str | Callable[[Any, Any], str]
    partitioner: Callable[[Any, Any, int], int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RepartitionSinkNode(Node):
    """Writes to an internal topic, by the key's hash; records without a key end here, or with `null_keys` go to any partition."""

    topic: str
    partitions: int | None = None
    null_keys: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterNode(Node):
    """Lets pass the records that the predicate holds for."""

    predicate: Callable[[Any, Any], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class MapNode(Node):
    """Makes one record of one."""

    mapper: Callable[[Any, Any], tuple[Any, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MapValuesNode(Node):
    """Makes a new value and keeps the key; `with_key` hands the key to the mapper first."""

    mapper: Callable[..., Any]
    with_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatMapNode(Node):
    """Makes any number of records of one."""

    mapper: Callable[[Any, Any], Iterable[tuple[Any, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlatMapValuesNode(Node):
    """Makes any number of values of one and keeps the key; `with_key` hands the key to the mapper first."""

    mapper: Callable[..., Iterable[Any]]
    with_key: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PeekNode(Node):
    """Shows each record to an action and lets it pass."""

    action: Callable[[Any, Any], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeNode(Node):
    """Lets pass what any of its parents gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitNode(Node):
    """Hands each record to the first branch whose predicate holds; a branch is a child whose `index` is the predicate's."""

    predicates: tuple[Callable[[Any, Any], bool] | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchNode(Node):
    """One way out of a split."""

    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSourceNode(Node):
    """Keeps the latest value of each key of its parent, a topic or a stream, as a table; a null value deletes."""

    store: str


@dataclass(frozen=True, slots=True)
class Closing:
    """That results leave once, when their window is closed.

    `interval_ms` is the least time, by the wall clock, between two looks at what has closed, `retention_ms` how long the store
    keeps windows.
    """

    interval_ms: int
    retention_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateNode(Node):
    """Folds the records of a key. `adder` takes (aggregate, value), with `with_key` (key, aggregate, value).

    `closing` is there where the records are folded in windows and results leave when these close. Without `caching` each
    update leaves at once, also where else only the latest of a commit does.
    """

    store: str
    initializer: Callable[[], Any]
    adder: Callable[..., Any]
    merge: Callable[[Any, Any], Any] | None = None
    with_key: bool = False
    closing: Closing | None = None
    caching: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowAggregateNode(AggregateNode):
    """Folds the records of a key in each window they belong to."""

    windows: EnumerableWindows


@dataclass(frozen=True, slots=True, kw_only=True)
class TableToStreamNode(Node):
    """Gives the updates of a table as a stream; a deleted key is a null value."""
