"""A limit on the requests of each client."""

from collections import OrderedDict
from collections.abc import Callable

_MAX_CLIENTS = 10_000


class RateLimit:
    """A token bucket per client, which holds the requests of one second; only the latest 10,000 clients are remembered."""

    def __init__(self, per_second: int, clock: Callable[[], float]) -> None:
        self._per_second = per_second
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, client: str) -> bool:
        """Count a request of a client and return whether it may be answered."""
        if not self._per_second:
            return True
        now = self._clock()
        tokens, before = self._buckets.pop(client, (float(self._per_second), now))
        tokens = min(float(self._per_second), tokens + (now - before) * self._per_second)
        allowed = tokens >= 1
        self._buckets[client] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > _MAX_CLIENTS:
            self._buckets.popitem(last=False)
        return allowed
