"""Machines that need maintenance: their readings rise together for too long, or they fall silent.

All times are milliseconds since the epoch.
"""

from dataclasses import replace
from itertools import pairwise
from math import inf
from typing import Literal, TypeAlias

from eddyline.domain.value import at_least, not_empty, not_negative, value

Sign: TypeAlias = Literal["rising", "silent"]
"""Why a machine needs maintenance: its temperature and vibration rise together, or it sends nothing any more."""

ABSOLUTE_ZERO = -273.15
"""The temperature in degrees Celsius that nothing can have."""


@value
class Reading:
    """The values of a machine's sensors: the temperature in degrees Celsius and the vibration in millimetres per second."""

    temperature: float
    vibration: float

    @property
    def is_sound(self) -> bool:
        """Whether working sensors can show these values: a temperature above absolute zero, and a vibration of at least 0."""
        return ABSOLUTE_ZERO < self.temperature < inf and 0 <= self.vibration < inf


@value
class Service:
    """A technician serviced a machine."""

    technician: str | None = None

    def __post_init__(self) -> None:
        if self.technician is not None:
            not_empty(technician=self.technician)


@value
class ReadingSums:
    """The number of readings and their sums, rounded at each addition. `ReadingSums()` has none."""

    count: int = 0
    temperature: float = 0.0
    vibration: float = 0.0

    def add(self, reading: Reading) -> "ReadingSums":
        """Return the sums with one more reading."""
        return ReadingSums(self.count + 1, self.temperature + reading.temperature, self.vibration + reading.vibration)

    def over(self, start: int, end: int) -> "MeanReadings":
        """Return the means of these readings, of which there is at least one, in a window."""
        return MeanReadings(start, end, self.temperature / self.count, self.vibration / self.count)


@value
class MeanReadings:
    """The mean temperature and vibration in the window from `start`, inclusive, to `end`, exclusive."""

    start: int
    end: int
    temperature: float
    vibration: float


Observation: TypeAlias = Reading | MeanReadings | Service
"""What becomes known about a machine."""


@value
class MaintenanceRules:
    """The rules for maintenance.

    A machine needs maintenance when both means rise in each of `rising_windows` consecutive windows, 2 or more, in total by at
    least `temperature_rise` and `vibration_rise`; or when it sends nothing for longer than `silence_ms`.
    """

    rising_windows: int = 3
    temperature_rise: float = 3.0
    vibration_rise: float = 0.5
    silence_ms: int = 600_000

    def __post_init__(self) -> None:
        at_least(2, rising_windows=self.rising_windows)
        at_least(0, silence_ms=self.silence_ms)
        not_negative(temperature_rise=self.temperature_rise, vibration_rise=self.vibration_rise)

    def are_met_by(self, windows: tuple[MeanReadings, ...]) -> bool:
        """Decide whether the means rise enough over the latest of these consecutive windows."""
        if len(windows) < self.rising_windows:
            return False
        latest = windows[-self.rising_windows :]
        first, last = latest[0], latest[-1]
        rises = all(one.temperature < two.temperature and one.vibration < two.vibration for one, two in pairwise(latest))
        return (
            rises
            and last.temperature - first.temperature >= self.temperature_rise
            and last.vibration - first.vibration >= self.vibration_rise
        )


@value
class MaintenanceRequest:
    """A machine needs maintenance since the first rising window, or since it was last heard from."""

    device: str
    sign: Sign
    since: int


@value
class Device:
    """The state of a machine: its latest windows, its last service, and the maintenance that it needs.

    `last_heard` and `served_at` are event times; `waiting_since` is when the machine was last heard from, by the clock that
    measures silence.
    """

    last_heard: int
    waiting_since: int
    windows: tuple[MeanReadings, ...] = ()
    served_at: int = -1
    request: MaintenanceRequest | None = None

    def observe(self, name: str, observation: Observation, at: int, now: int, rules: MaintenanceRules) -> "Device":
        """Return the machine after an observation.

        Args:
            name: The name of the machine.
            observation: A reading, the means of a window that closed, or a service.
            at: The event time of the observation.
            now: The time of the clock that measures silence.
            rules: The rules for maintenance.
        """
        match observation:
            case Reading():
                return self.heard_from(at, now)
            case MeanReadings():
                return self.measured(name, observation, rules)
            case Service():
                return self.serviced(at, now)

    def heard_from(self, at: int, now: int) -> "Device":
        """Return the machine after it was heard from at event time `at` and clock time `now`; earlier times have no effect."""
        return replace(self, last_heard=max(self.last_heard, at), waiting_since=max(self.waiting_since, now))

    def measured(self, name: str, window: MeanReadings, rules: MaintenanceRules) -> "Device":
        """Return the machine after a window of readings; it needs maintenance if the rules are met.

        A request that exists already is kept. Windows that started before the last service are ignored.
        """
        if window.start < self.served_at:
            return self
        is_next = bool(self.windows) and self.windows[-1].end == window.start
        windows = ((*self.windows, window) if is_next else (window,))[-rules.rising_windows :]
        needed = self.request is None and rules.are_met_by(windows)
        request = MaintenanceRequest(name, "rising", windows[0].start) if needed else self.request
        return replace(self, windows=windows, request=request)

    def checked_for_silence(self, name: str, now: int, rules: MaintenanceRules) -> "Device":
        """Return the machine at a time of the clock; it needs maintenance if it has been silent for too long.

        A request that exists already is kept.
        """
        if self.request is not None or now - self.waiting_since <= rules.silence_ms:
            return self
        return replace(self, request=MaintenanceRequest(name, "silent", self.last_heard))

    def serviced(self, at: int, now: int) -> "Device":
        """Return the machine after a service at `at` that became known at `now`: it needs nothing, and older windows are deleted.

        A request is kept if its signs began after the service, which became known late.
        """
        settled = self.request is None or self.request.since <= at
        return replace(
            self.heard_from(at, now),
            served_at=max(self.served_at, at),
            windows=tuple(window for window in self.windows if window.start >= at),
            request=None if settled else self.request,
        )

    def new_request(self, before: "Device") -> MaintenanceRequest | None:
        """Return the request for maintenance if the machine did not have one before."""
        return self.request if before.request is None else None
