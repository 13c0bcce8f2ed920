"""The answers to queries: rows of a store, and how fresh they are. All times are milliseconds since the epoch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from eddyline.application.ports.codec import Codec
from eddyline.application.runtime.progress.store_rows import StoreRow
from eddyline.application.topology.stores import StoreKind
from eddyline.application.topology.types import Names


class QueryError(ValueError):
    """A query cannot be answered; the message says why, with the choices and the fix."""


class UnknownStoreError(QueryError):
    """There is no such store, or it has no changelog."""


class InvalidQueryError(QueryError):
    """A key, a time or a cursor does not fit the store."""


class IncompleteError(QueryError):
    """No instance holds some partitions at this moment, or two say that they do; a later try may succeed."""


class NotFreshError(QueryError):
    """The state did not reach the offsets that a query waits for within its time limit."""


@dataclass(frozen=True)
class Freshness:
    """How fresh an answer is.

    Attributes:
        batch: The number of the last batch that the answer includes, None before the first.
        batch_time: The wall-clock time of that batch.
        stream_time: The greatest timestamp that the tasks of the store have seen.
        offsets: The next offset of each partition of the source topics: the answer includes the records before it.
        lag: The number of records in the source topics after these offsets.
        restoring: Whether the state is still being read from the changelog, so that the answer may be older than the state of
            the flow.
    """

    batch: int | None
    batch_time: int | None
    stream_time: int | None
    offsets: Mapping[str, Sequence[int]]
    lag: int
    restoring: bool


class RowPosition(NamedTuple):
    """Where a row is in the order of an answer, by which the rows of several instances are merged.

    Attributes:
        number: The number of the key in the query, from 0; 0 in queries that name no keys.
        sort_key: The sort key of the row.
        start: The first time of its window, session or version in ms since the epoch, 0 in other stores.
        end: The last time, likewise.
        partition: The partition of the store that has it.
    """

    number: int
    sort_key: bytes
    start: int
    end: int
    partition: int


@dataclass(frozen=True)
class Answer:
    """Rows of a store.

    Attributes:
        rows: The rows.
        cursor: Continues after the last row, None if there are no more.
        freshness: How fresh the rows are.
        positions: The position of each row.
        partitions: The partitions of the store that the answer is about: those that this instance holds.
        missing: The partitions that other instances hold.
    """

    rows: Sequence[StoreRow]
    cursor: str | None
    freshness: Freshness
    positions: Sequence[RowPosition] = ()
    partitions: Sequence[int] = ()
    missing: Sequence[int] = ()


@dataclass(frozen=True)
class StoreInfo:
    """A store that can be queried; sizes are those of the encoded keys and values.

    `names` is what fields are called in its rows, and `shown` returns the codec of keys of a type in requests.
    `held` has the partitions that this instance holds, None for all of them; sizes and freshness are of these.
    `records_per_second` is the number of records that the flow reads from the source topics, None if it is not known yet.
    """

    name: str
    kind: StoreKind
    key_type: Any
    value_type: Any
    partitions: int
    entries: int
    size_bytes: int
    freshness: Freshness
    shown: Callable[[Any], Codec]
    records_per_second: float | None = None
    held: Sequence[int] | None = None
    names: Names = "as-declared"
