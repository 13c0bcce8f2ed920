"""Beacons: programs on a host that call one destination again and again, at intervals too regular for a human.

All times are milliseconds since the epoch.
"""

from bisect import insort
from heapq import merge
from itertools import pairwise
from statistics import fmean, pstdev

from eddyline.domain.value import value

MOST_CALLS = 10_000
"""More calls than this in one window are traffic, not a beacon: their times are let go, so that no host fills the memory."""


@value
class Connection:
    """A host opened a connection to a destination."""

    destination: str
    at: int


@value
class KnownDestination:
    """A destination that hosts may call as regularly as they like: who runs it, and what for."""

    owner: str
    purpose: str = ""


@value
class Route:
    """Who calls whom."""

    host: str
    destination: str


@value
class Beacon:
    """A host calls a destination suspiciously regularly.

    `interval_ms` is the mean gap between its calls, `variation` the standard deviation of the gaps in parts of their mean.
    """

    host: str
    destination: str
    calls: int
    interval_ms: float
    variation: float
    first_at: int
    last_at: int


@value
class Calls:
    """The times of calls in order, and how many there were. `Calls()` has none, and makes a monoid with `merge`.

    Calls that become known late are put in their place. Of more than MOST_CALLS only their number is kept.
    """

    count: int = 0
    times: tuple[int, ...] = ()

    def add(self, connection: Connection) -> "Calls":
        """These with one more call."""
        if self.count >= MOST_CALLS:
            return Calls(self.count + 1)
        if not self.times or connection.at >= self.times[-1]:
            return Calls(self.count + 1, (*self.times, connection.at))
        times = list(self.times)
        insort(times, connection.at)
        return Calls(self.count + 1, tuple(times))

    def merge(self, other: "Calls") -> "Calls":
        """The calls of both."""
        count = self.count + other.count
        return Calls(count, tuple(merge(self.times, other.times)) if count <= MOST_CALLS else ())

    def beacon(self, route: Route, *, least_calls: int, most_variation: float) -> Beacon | None:
        """The beacon that these calls are; None when they are fewer than `least_calls`, at least 3, or vary more than that."""
        times = self.times
        if len(times) < max(least_calls, 3):
            return None
        gaps = [later - earlier for earlier, later in pairwise(times)]
        interval = fmean(gaps)
        if not interval:
            return None
        variation = pstdev(gaps, interval) / interval
        if variation > most_variation:
            return None
        return Beacon(route.host, route.destination, len(times), interval, variation, times[0], times[-1])
