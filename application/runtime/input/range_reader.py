"""Reads an offset range from the log, of which the log may have lost records since the range was planned."""

from collections.abc import Iterator, Sequence

from eddyline.application.ports.event_log import EventLog, LogRecord, OffsetOutOfRangeError, TopicPartition
from eddyline.application.runtime.plan.options import AutoOffsetReset


class RangeReader:
    """Reads one offset range, as far as the log still has it.

    `skipped` is the number of offsets that the log had when the range was planned, and that were skipped.
    """

    def __init__(self, log: EventLog, partition: TopicPartition, policy: AutoOffsetReset) -> None:
        self.skipped = 0
        self._log, self._partition, self._policy = log, partition, policy

    def read(self, start: int, end: int) -> Iterator[Sequence[LogRecord]]:
        """Yield the records of a range in batches. Raises OffsetOutOfRangeError if some are lost and the policy is `none`."""
        while start < end:
            try:
                for batch in self._log.read(*self._partition, start, end):
                    yield batch
                    start = batch[-1].offset + 1
            except OffsetOutOfRangeError as error:
                start, end = self._remaining(start, end, error)
            else:
                return

    def _remaining(self, start: int, end: int, error: OffsetOutOfRangeError) -> tuple[int, int]:
        beginning, last = self._log.bounds(*self._partition)
        if beginning <= start and end <= last:
            raise error
        if self._policy == "none":
            raise out_of_range(self._partition, start if start < beginning else end, beginning, last) from error
        left = range(max(start, beginning), min(end, last)) if self._policy == "earliest" else range(0)
        self.skipped += end - start - len(left)
        return (left.start, left.stop) if left else (end, end)


def out_of_range(partition: TopicPartition, position: int, beginning: int, end: int) -> OffsetOutOfRangeError:
    """Return the error for the position of a flow that is not between the beginning and the end offset of its partition."""
    if position < beginning:
        reason = f"retention has deleted {beginning - position:,} offsets"
    else:
        reason = "the topic was emptied or replaced"
    return OffsetOutOfRangeError(
        f"topic '{partition.topic}', partition {partition.partition}: the flow is at offset {position}, but the log has"
        f" {beginning} to {end}: {reason}; run 'eddyline reset' for the flow to start from the beginning, or accept the loss with"
        " auto.offset.reset=earliest (continue at the first record that is left) or latest (continue at the end)"
    )
