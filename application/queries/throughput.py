"""The throughput of a flow, from the progress records of its changelogs."""

from collections import deque
from threading import Lock
from typing import Final

from eddyline.application.runtime.plan.changelogs import ChangelogProgress

_SPAN_MS: Final = 30_000
_KEPT: Final = 1_000
_LEAST_SAMPLES: Final = 2


class Throughput:
    """The records per second that one task has read over its last 30 seconds of progress; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._samples: deque[tuple[int, int]] = deque(maxlen=_KEPT)

    def add(self, progress: ChangelogProgress) -> None:
        """Add the progress of a batch; one that is not later than the last one, as in another changelog, starts again."""
        if not progress.offsets:
            return
        sample = progress.time_ms, sum(map(sum, progress.offsets.values()))
        with self._lock:
            if self._samples and (sample[0] < self._samples[-1][0] or sample[1] < self._samples[-1][1]):
                self._samples.clear()
            self._samples.append(sample)
            while sample[0] - self._samples[0][0] > _SPAN_MS and len(self._samples) > _LEAST_SAMPLES:
                self._samples.popleft()

    def per_second(self, now_ms: int) -> float | None:
        """Return the records per second, None if that is not known: before the second batch.

        Args:
            now_ms: The wall-clock time in ms since the epoch; long after the last batch the throughput is 0.
        """
        with self._lock:
            if len(self._samples) < _LEAST_SAMPLES:
                return None
            (begin, first), (end, last) = self._samples[0], self._samples[-1]
        if now_ms - end > _SPAN_MS:
            return 0.0
        return (last - first) * 1_000 / max(end - begin, 1)
