"""The answers to "why this result" and "what became of this record"."""

from dataclasses import dataclass
from typing import Any, Literal

from eddyline.application.ports.event_log import Headers, Position
from eddyline.application.topology.windows import Window


@dataclass(frozen=True)
class StateChange:
    """A change of a store entry while an input record was processed.

    Attributes:
        store: The store.
        key: The key.
        window: The window or session, None in stores without windows.
        before: The value before, None if there was none.
        after: The value after, None if it was deleted.
        internal: Whether the store is a buffer of an operator, such as that of a suppression.
    """

    store: str
    key: Any
    window: Window | None
    before: Any
    after: Any
    internal: bool = False


@dataclass(frozen=True)
class InputRecord:
    """An input record that a result was made of.

    Attributes:
        position: Topic, partition and offset.
        timestamp: The timestamp of the record in the log, in ms since the epoch.
        key: The key.
        value: The value, None for a tombstone.
        headers: The headers, without those that the codecs have read.
        role: `data` if it is part of the result, `trigger` if the result was only emitted because of it.
        neutral: Whether the result is the same without this record; None if that was not tested.
        path: The names of the nodes from the source to the result.
        changes: The changes of stores that led to the result, in their order.
    """

    position: Position
    timestamp: int
    key: Any
    value: Any
    headers: Headers
    role: Literal["data", "trigger"]
    neutral: bool | None
    path: tuple[str, ...]
    changes: tuple[StateChange, ...]


@dataclass(frozen=True)
class ResultRecord:
    """A result of the flow; `position` is None if it is not known where it was written."""

    topic: str
    position: Position | None
    timestamp: int
    key: Any
    value: Any
    headers: Headers = ()


@dataclass(frozen=True)
class StoreEntry:
    """An entry of a state store."""

    store: str
    key: Any
    window: Window | None
    value: Any


@dataclass(frozen=True)
class Explanation:
    """Why there is a result or a store entry.

    Attributes:
        subject: The result or the entry.
        inputs: The input records that it was made of, in the order in which they were processed.
        found: Whether the replay gave the subject. If it did not, `inputs` belong to the result of the same key and timestamp
            that it gave instead, or there are none.
        verified: Whether replaying the inputs alone has given the same result.
        replayed: The number of records that were replayed to find the inputs.
        replays: The number of replays of inputs that tested them.
        notes: What the answer does not include and what is not known, in whole sentences.
    """

    subject: ResultRecord | StoreEntry
    inputs: tuple[InputRecord, ...]
    found: bool
    verified: bool
    replayed: int
    replays: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """What happened to a record.

    Attributes:
        kind: `dropped`, `failed`, `filtered`, `no-records` (a function returned none), `no-row` (a join found no row), `stored`,
            `suppressed` (buffered until its wait is over), `open` (its window has not closed yet) or `not-processed`.
        node: The node, for `stored`, `no-row` and `suppressed` the store.
        text: The reason in a sentence.
        changes: The changes of stores.
    """

    kind: str
    node: str
    text: str
    changes: tuple[StateChange, ...] = ()


@dataclass(frozen=True)
class Fate:
    """What became of an input record.

    Attributes:
        record: The record.
        results: The results that it is part of; at most as many as were asked for.
        total: The number of results that it is part of.
        steps: What happened to it on the way.
        replayed: The number of records that were replayed.
        notes: What is not known, in whole sentences.
    """

    record: InputRecord
    results: tuple[ResultRecord, ...]
    total: int
    steps: tuple[Step, ...]
    replayed: int
    notes: tuple[str, ...]
