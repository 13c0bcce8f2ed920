"""What is known of a record besides its key and value: headers, and where it was read from."""

from typing import Any, NamedTuple, TypeAlias

Headers: TypeAlias = tuple[tuple[str, bytes | None], ...]


class RecordMetadata(NamedTuple):
    """The position and timestamp of the record that is being processed; `timestamp` in ms since the epoch."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    headers: Headers


class SourceRecord(NamedTuple):
    """A record as a timestamp extractor gets it: decoded, with the timestamp of the log in ms since the epoch."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: Any
    value: Any
    headers: Headers = ()
