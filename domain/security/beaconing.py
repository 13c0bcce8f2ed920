"""Beacons: programs that call one destination again and again, at intervals too regular for a human.

All times are milliseconds since the epoch.
"""

from bisect import insort
from heapq import merge
from itertools import pairwise
from statistics import fmean, pstdev

from eddyline.domain.value import at_least, not_empty, not_negative, value

MAX_CALLS = 10_000
"""More calls than this in one window are traffic, not a beacon; their times are not kept, which limits the memory per host."""


@value
class Connection:
    """A host opened a connection to a destination."""

    destination: str
    at: int

    def __post_init__(self) -> None:
        not_empty(destination=self.destination)
        at_least(0, at=self.at)


@value
class KnownDestination:
    """A destination that hosts may call regularly, with its owner and purpose."""

    owner: str
    purpose: str = ""

    def __post_init__(self) -> None:
        not_empty(owner=self.owner)


@value
class Route:
    """A host and the destination that it calls."""

    host: str
    destination: str


@value
class Beacon:
    """A host calls a destination suspiciously regularly.

    `interval_ms` is the mean of the intervals between calls, `variation` their standard deviation as a fraction of the mean.
    """

    host: str
    destination: str
    calls: int
    interval_ms: float
    variation: float
    first_at: int
    last_at: int


@value
class BeaconRules:
    """The rules for beacons: at least `least_calls` calls, 3 or more, with a variation of at most `most_variation`."""

    least_calls: int
    most_variation: float

    def __post_init__(self) -> None:
        at_least(1, least_calls=self.least_calls)
        not_negative(most_variation=self.most_variation)


@value
class Calls:
    """The number of calls and their times in order. `Calls()` has none; with `merge` it is a monoid.

    Calls may be added in any order. Of more than MAX_CALLS calls only the number is kept.
    """

    count: int = 0
    times: tuple[int, ...] = ()

    def add(self, connection: Connection) -> "Calls":
        """Return the calls with one more."""
        if self.count >= MAX_CALLS:
            return Calls(self.count + 1)
        if not self.times or connection.at >= self.times[-1]:
            return Calls(self.count + 1, (*self.times, connection.at))
        times = list(self.times)
        insort(times, connection.at)
        return Calls(self.count + 1, tuple(times))

    def merge(self, other: "Calls") -> "Calls":
        """Return the calls of both."""
        count = self.count + other.count
        return Calls(count, tuple(merge(self.times, other.times)) if count <= MAX_CALLS else ())

    def beacon(self, route: Route, rules: BeaconRules) -> Beacon | None:
        """Return the beacon that these calls on a route are by the rules, None if they are not one."""
        times = self.times
        if len(times) < max(rules.least_calls, 3):
            return None
        intervals = [later - earlier for earlier, later in pairwise(times)]
        mean = fmean(intervals)
        if not mean:
            return None
        variation = pstdev(intervals, mean) / mean
        if variation > rules.most_variation:
            return None
        return Beacon(route.host, route.destination, len(times), mean, variation, times[0], times[-1])
