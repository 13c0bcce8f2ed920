"""What a step may know of a record besides its key and value."""

from typing import Any, NamedTuple, TypeAlias

Headers: TypeAlias = tuple[tuple[str, bytes | None], ...]


class RecordMetadata(NamedTuple):
    """Where the record that is being processed came from; `timestamp` in milliseconds since the epoch."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    headers: Headers


class SourceRecord(NamedTuple):
    """A record as a timestamp extractor sees it: decoded, with the timestamp that the log gave it."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: Any
    value: Any
    headers: Headers = ()
