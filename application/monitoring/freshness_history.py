"""How fresh the state of a flow was over time, for servers beside a run, which know of the run what its changelogs say."""

from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from threading import Event, Lock, Thread
from typing import Final

from eddyline.application.ports.clock import Clock
from eddyline.application.queries.answers import StoreInfo
from eddyline.application.queries.state_queries import StateQueries

_LENGTH: Final = 600


@dataclass(frozen=True)
class FreshnessSample:
    """The state of a flow at one time.

    Attributes:
        time: The wall-clock time in ms since the epoch.
        batch: The last batch that all stores include, None before the first.
        batch_time: The wall-clock time of that batch.
        stream_time: The greatest stream time of all stores.
        offsets: The next offset of each partition of the source topics, the greatest of all stores.
        lag: The number of records after the offsets of the store that is furthest behind.
        entries: The number of entries of all stores.
        size_bytes: The size of their encoded keys and values.
        restoring: Whether a store is being read from its changelog.
    """

    time: int
    batch: int | None
    batch_time: int | None
    stream_time: int | None
    offsets: Mapping[str, Sequence[int]]
    lag: int
    entries: int
    size_bytes: int
    restoring: bool

    @property
    def records(self) -> int:
        """The sum of the offsets, whose difference between two samples is the number of records between them."""
        return sum(map(sum, self.offsets.values()))


class FreshnessHistory:
    """Samples of a flow's state, the latest 600, taken from `start` to `stop`.

    Args:
        queries: The state.
        clock: The wall clock.
        interval_s: The time between two samples in seconds.
    """

    def __init__(self, queries: StateQueries, clock: Clock, *, interval_s: float = 1.0) -> None:
        self._queries, self._clock, self._interval_s = queries, clock, interval_s
        self._samples: deque[FreshnessSample] = deque(maxlen=_LENGTH)
        self._lock = Lock()
        self._stopping = Event()
        self._thread: Thread | None = None

    @property
    def samples(self) -> Sequence[FreshnessSample]:
        """The samples, oldest first."""
        with self._lock:
            return tuple(self._samples)

    def sample(self) -> None:
        """Take a sample, unless no store has been found yet."""
        stores = self._queries.stores()
        if stores:
            taken = _sample(stores, self._clock.now_ms())
            with self._lock:
                self._samples.append(taken)

    def start(self) -> None:
        """Take samples in a thread until `stop`; while the state cannot be read there are none."""
        self._thread = Thread(target=self._run, name="freshness", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take no more samples."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            with suppress(Exception):  # queries of the state report the reason
                self.sample()
            self._stopping.wait(self._interval_s)


def _sample(stores: Sequence[StoreInfo], now_ms: int) -> FreshnessSample:
    known = [store.freshness for store in stores]
    topics = dict.fromkeys(topic for found in known for topic in found.offsets)
    offsets = {
        topic: [max(numbers) for numbers in zip_longest(*(found.offsets.get(topic, ()) for found in known), fillvalue=0)]
        for topic in topics
    }
    batches = [found.batch for found in known]
    return FreshnessSample(
        time=now_ms,
        batch=None if None in batches else min(batch for batch in batches if batch is not None),
        batch_time=max((found.batch_time for found in known if found.batch_time is not None), default=None),
        stream_time=max((found.stream_time for found in known if found.stream_time is not None), default=None),
        offsets=offsets,
        lag=max(found.lag for found in known),
        entries=sum(store.entries for store in stores),
        size_bytes=sum(store.size_bytes for store in stores),
        restoring=any(found.restoring for found in known),
    )
