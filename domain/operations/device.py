"""When a machine asks to be looked after: its readings rise together for too long, or it falls silent.

All times are milliseconds since the epoch.
"""

from dataclasses import replace
from itertools import pairwise
from math import isfinite
from typing import Literal, TypeAlias

from eddyline.domain.value import value

Sign: TypeAlias = Literal["rising", "silent"]
"""Why a machine asks: temperature and vibration rise together, or nothing was heard of it."""


@value
class Reading:
    """What the sensors of a machine show: degrees Celsius, and millimetres a second of vibration."""

    temperature: float
    vibration: float

    @property
    def is_sound(self) -> bool:
        """Whether sensors in order can show these figures; a broken one shows no number, infinity, or less than no vibration."""
        return isfinite(self.temperature) and isfinite(self.vibration) and self.vibration >= 0


@value
class Service:
    """A technician looked after a machine."""

    technician: str | None = None


@value
class ReadingSums:
    """How many readings and their sums. `ReadingSums()` has none, and makes a monoid with `merge`."""

    count: int = 0
    temperature: float = 0.0
    vibration: float = 0.0

    def add(self, reading: Reading) -> "ReadingSums":
        """These with one more reading."""
        return ReadingSums(self.count + 1, self.temperature + reading.temperature, self.vibration + reading.vibration)

    def merge(self, other: "ReadingSums") -> "ReadingSums":
        """The readings of both."""
        return ReadingSums(self.count + other.count, self.temperature + other.temperature, self.vibration + other.vibration)

    def over(self, start: int, end: int) -> "MeanReadings":
        """The means of these readings, of which there is at least one, in a span of time."""
        return MeanReadings(start, end, self.temperature / self.count, self.vibration / self.count)


@value
class MeanReadings:
    """Mean temperature and vibration from `start` on and before `end`."""

    start: int
    end: int
    temperature: float
    vibration: float


@value
class MaintenanceRules:
    """What calls for maintenance.

    Over `rising_windows` windows, 2 or more, that follow each other both means rise each time, in all by `temperature_rise` and
    `vibration_rise`; or nothing is heard for longer than `silence_ms`.
    """

    rising_windows: int = 3
    temperature_rise: float = 3.0
    vibration_rise: float = 0.5
    silence_ms: int = 600_000

    def are_met_by(self, windows: tuple[MeanReadings, ...]) -> bool:
        """Whether these windows, which follow each other, show the rise."""
        if len(windows) < self.rising_windows:
            return False
        seen = windows[-self.rising_windows :]
        first, last = seen[0], seen[-1]
        rises = all(one.temperature < two.temperature and one.vibration < two.vibration for one, two in pairwise(seen))
        return (
            rises
            and last.temperature - first.temperature >= self.temperature_rise
            and last.vibration - first.vibration >= self.vibration_rise
        )


@value
class MaintenanceRequest:
    """A machine asks to be looked after; `since` is when the signs of it began: the first rising window, or the last word."""

    device: str
    sign: Sign
    since: int


@value
class Device:
    """What is remembered of a machine: when it was heard last, its latest windows, its last service, and what it asks for.

    `last_heard` and `served_at` are times of events; `waiting_since` is when it was heard by the clock that measures silence.
    """

    last_heard: int
    waiting_since: int
    windows: tuple[MeanReadings, ...] = ()
    served_at: int = -1
    request: MaintenanceRequest | None = None

    def heard(self, at: int, now: int) -> "Device":
        """The machine after a sign of life from `at`, that came at `now`; one that comes late makes it no younger."""
        return replace(self, last_heard=max(self.last_heard, at), waiting_since=max(self.waiting_since, now))

    def measured(self, name: str, window: MeanReadings, rules: MaintenanceRules) -> "Device":
        """The machine after a window of readings. It asks for maintenance when the rules are met, unless it does so already.

        Windows that began before the last service say nothing of the machine as it is now.
        """
        if window.start < self.served_at:
            return self
        follows = bool(self.windows) and self.windows[-1].end == window.start
        windows = ((*self.windows, window) if follows else (window,))[-rules.rising_windows :]
        asks = self.request is None and rules.are_met_by(windows)
        request = MaintenanceRequest(name, "rising", windows[0].start) if asks else self.request
        return replace(self, windows=windows, request=request)

    def waited_for(self, name: str, now: int, rules: MaintenanceRules) -> "Device":
        """The machine at a time: it asks for maintenance when it has been silent for too long, unless it does so already."""
        if self.request is not None or now - self.waiting_since <= rules.silence_ms:
            return self
        return replace(self, request=MaintenanceRequest(name, "silent", self.last_heard))

    def served(self, at: int, now: int) -> "Device":
        """The machine after a service at `at`, known at `now`: it asks for nothing, and what was measured before counts no more.

        A service from before the signs began, which becomes known late, leaves the request as it is.
        """
        settled = self.request is None or self.request.since <= at
        return replace(
            self.heard(at, now),
            served_at=max(self.served_at, at),
            windows=tuple(window for window in self.windows if window.start >= at),
            request=None if settled else self.request,
        )
