"""Chooses the maximum number of records of a batch."""

from typing import Final

from eddyline.application.runtime.options import RunOptions

MOST_RECORDS: Final = 2_000_000
_AIM_S: Final = 2.0
_LONG: Final = 2.0
_START_S: Final = 3.0
_GROWTH: Final = 4.0


class BatchSize:
    """The limit of the records in the next batch, which grows while batches take less than two seconds, or the trigger interval.

    A batch has a fixed cost, so that larger ones process more records per second; those that take long need more memory for their
    results. The limit begins with `options.batch_records`, is at most 2,000,000, and is halved again if batches become long. With
    `options.max_batch_records` that is the limit of every batch.

    Args:
        options: The options of the run.
    """

    def __init__(self, options: RunOptions) -> None:
        self._least = self._limit = options.batch_records
        self._is_fixed = options.max_batch_records is not None
        self._aim_s = max(_AIM_S, options.trigger_interval_ms / 1_000)
        self._start_s = _START_S
        self._full_since: float | None = None

    def limit(self, now_s: float) -> int:
        """Return the limit of the batch that begins now, when the one before it has ended.

        Args:
            now_s: The time of a monotonic clock in seconds.
        """
        if self._full_since is not None and not self._is_fixed:
            seconds = now_s - self._full_since - self._start_s
            self._start_s = 0.0
            if seconds < self._aim_s:
                growth = min(self._aim_s / seconds, _GROWTH) if seconds > 0 else _GROWTH
                self._limit = min(int(self._limit * growth), MOST_RECORDS)
            elif seconds > self._aim_s * _LONG:
                self._limit = max(self._limit // 2, self._least)
        return self._limit

    def planned(self, now_s: float, *, is_full: bool) -> None:
        """Note when a batch has begun, and whether it `is_full`: the log has more records. The time of other batches is ignored.

        The first full batch includes the start of the workers, about three seconds, which do not count.
        """
        self._full_since = now_s if is_full else None
