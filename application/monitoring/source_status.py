"""The state of a source partition."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SourceStatus:
    """A source partition whose records advance the stream time of a task.

    Attributes:
        topic: The topic.
        partition: The partition.
        offset: The next offset to process.
        end: The end offset of the log.
        last_timestamp: The timestamp of the last record in the log, in ms since the epoch; None if that is not known.
        idle_since: The wall-clock time from which on no record came, as far as it was observed, in ms since the epoch; None if
            there are records to process.
        idle_timeout_ms: How long no record may come before stream time follows the wall clock; None for event time only.
    """

    topic: str
    partition: int
    offset: int
    end: int
    last_timestamp: int | None
    idle_since: int | None
    idle_timeout_ms: int | None

    @property
    def lag(self) -> int:
        """The number of offsets that were not processed yet."""
        return max(0, self.end - self.offset)
