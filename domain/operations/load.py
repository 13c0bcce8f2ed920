"""The load of services: percentiles of what their hosts measure, and services that are overloaded."""

from eddyline.domain.value import not_empty, not_negative, value


@value
class ServiceLoad:
    """What a host measured for a service: its load in percent of what it can do, above 100 if work has to wait."""

    service: str
    load: float

    def __post_init__(self) -> None:
        not_empty(service=self.service)
        not_negative(load=self.load)


@value
class Overload:
    """A service is overloaded: the 99th percentile of its load is above a limit; `since` is in ms since the epoch."""

    service: str
    since: int
    p99: float
    limit: float


@value
class LoadPercentiles:
    """The median, the 99th percentile and the highest of a number of measured loads, in percent.

    Percentiles may be estimates; none exceeds the highest load.
    """

    measurements: int
    median: float
    p99: float
    highest: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "median", min(self.median, self.highest))
        object.__setattr__(self, "p99", min(self.p99, self.highest))

    def overload(self, service: str, since: int, limit: float) -> Overload | None:
        """Return that a service with these loads since a time in ms since the epoch is overloaded, None if it is not."""
        return Overload(service, since, self.p99, limit) if self.p99 > limit else None
