"""What is known of a record besides its key and value: headers, and where it was read from."""

from typing import Any, NamedTuple, TypeAlias

Headers: TypeAlias = tuple[tuple[str, bytes | None], ...]
"""The headers of a record in order: pairs of a name, which may occur more than once, and bytes or None."""


class RecordMetadata(NamedTuple):
    """The position and timestamp of the record that is being processed.

    Attributes:
        topic: The topic that the record was read from; empty for a row of a table that is transformed when it is read.
        partition: The partition, from 0; -1 for such a row.
        offset: The offset in the partition; -1 for such a row.
        timestamp: The event time in ms since the epoch.
        headers: The headers in order, pairs of a name and bytes or None.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int
    headers: Headers


class RecordContext(NamedTuple):
    """What a function that chooses a topic may ask about a record, besides its key and value.

    Attributes:
        topic: The topic of the record that caused it, None during punctuation and commit.
        partition: The partition of that record, -1 during punctuation and commit.
        offset: The offset of that record, -1 during punctuation and commit.
        timestamp: The event time of the record that is written, in ms since the epoch.
        headers: Its headers in order, pairs of a name and bytes or None.
    """

    topic: str | None
    partition: int
    offset: int
    timestamp: int
    headers: Headers


class SourceRecord(NamedTuple):
    """A record as a timestamp extractor receives it.

    Attributes:
        topic: The topic that the record was read from.
        partition: The partition, from 0.
        offset: The offset in the partition.
        timestamp: The timestamp of the log, in ms since the epoch.
        key: The decoded key.
        value: The decoded value.
        headers: The headers in order, pairs of a name and bytes or None.
    """

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: Any
    value: Any
    headers: Headers = ()
