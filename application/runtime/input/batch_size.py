"""Chooses the maximum number of records of a batch."""

from typing import Final

from eddyline.application.runtime.plan.options import RunOptions

MOST_RECORDS: Final = 4_000_000
_AIM_S: Final = 6.0
_LONG: Final = 2.0
_GROWTH: Final = 4.0
_LEAST_FULL: Final = 0.5
_REST: Final = 0.25


class BatchSize:
    """The limit of the records in a batch, which grows while tasks process batches in less than six seconds.

    A batch has a fixed cost, so that larger ones process more records per second; those that take long need more memory for their
    results. The limit begins with `options.batch_records`, is at most 4,000,000, and is halved again if batches become long. With
    `options.max_batch_records` that is the limit of every batch.

    Args:
        options: The options of the run. If the trigger interval is longer than six seconds, batches may take as long.

    Attributes:
        limit: The limit of the next batch.
    """

    def __init__(self, options: RunOptions) -> None:
        self._least = self.limit = options.batch_records
        self._is_fixed = options.max_batch_records is not None
        self._aim_s = max(_AIM_S, options.trigger_interval_ms / 1_000)

    def ended(self, records: int, seconds: float) -> None:
        """Note that tasks have processed a batch; one with much fewer records than the limit changes nothing.

        Args:
            records: The number of its records.
            seconds: From when the first task began until the last one had ended; the planning of a batch, and the start of the
                workers before the first one, are no part of it.
        """
        if self._is_fixed or records < self.limit * _LEAST_FULL:
            return
        growth = min(self._aim_s / seconds, _GROWTH) if seconds > 0 else _GROWTH
        if growth > 1:
            self.limit = max(self.limit, min(int(records * growth), MOST_RECORDS))
        elif seconds > self._aim_s * _LONG:
            self.limit = max(self.limit // 2, self._least)


def batch_limit(limit: int, waiting: int, options: RunOptions) -> int:
    """Return the maximum number of records of the next batch.

    Args:
        limit: The limit that `BatchSize` has chosen.
        waiting: The number of records that no batch has read yet. The batch takes all of them if few would be left, unless the
            options fix its size.
        options: The options of the run.
    """
    return waiting if options.max_batch_records is None and limit < waiting <= limit * (1 + _REST) else limit
