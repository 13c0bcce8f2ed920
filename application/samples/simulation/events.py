"""What all simulators share: events, the order in which they arrive, and checks of settings.

All times are milliseconds since the epoch.
"""

import random
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

START_MS = 1_767_600_000_000
"""When simulations start by default: Monday, 2026-01-05, 8:00 UTC."""

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE


class SimulationError(ValueError):
    """A setting of a simulation is out of range; the message names the setting, its value and what is allowed."""


class Least(NamedTuple):
    """The least value of a setting, in its annotation."""

    value: int


class SimulatedEvent(NamedTuple):
    """A record for a topic; `timestamp` is its event time in ms since the epoch."""

    topic: str
    key: str | None
    value: Any
    timestamp: int


class Timeline:
    """Collects events in any order and returns them in the order in which they arrive.

    The fraction `out_of_order` of them arrives up to `delay_ms` after its event time, all others without delay. Simulators begin
    at `start_ms` and choose by `rng`.
    """

    def __init__(self, rng: random.Random, start_ms: int = START_MS, out_of_order: float = 0.0, delay_ms: int = 0) -> None:
        self.rng, self.start_ms = rng, start_ms
        self._out_of_order = out_of_order
        self._delay_ms = delay_ms
        self._arrivals: list[tuple[int, SimulatedEvent]] = []

    def add(self, topic: str, key: str | None, value: Any, at: int) -> None:
        """Add an event that happens at a time and may be delayed."""
        delayed = happens(self.rng, self._out_of_order)
        self.add_delayed(topic, key, value, at, self.rng.randint(0, self._delay_ms) if delayed else 0)

    def add_delayed(self, topic: str, key: str | None, value: Any, at: int, delay_ms: int) -> None:
        """Add an event that happens at a time and arrives `delay_ms` later."""
        self._arrivals.append((at + delay_ms, SimulatedEvent(topic, key, value, at)))

    def events(self) -> Iterator[SimulatedEvent]:
        """Return all events in order of arrival; events that arrive at the same time keep the order in which they were added."""
        self._arrivals.sort(key=itemgetter(0))
        return (event for _, event in self._arrivals)


def random_numbers(name: str, seed: int) -> random.Random:
    """Return the random number generator of the simulation of this name."""
    return random.Random(f"{name} {seed}")  # noqa: S311 - a simulation, not a secret


def happens(rng: random.Random, fraction: float) -> bool:
    """Decide whether something happens that happens in this fraction of all cases."""
    return rng.random() < fraction


def spread(start: int, lasts: int, count: int) -> list[int]:
    """Return `count` times that are spread evenly over what lasts so long, the first half an interval after the start."""
    return [start + (2 * number + 1) * lasts // (2 * count) for number in range(count)]


def weights_by_rank(count: int) -> list[float]:
    """Return the weights of things by popularity: the first is twice as popular as the second, and so on."""
    return [1 / rank for rank in range(1, count + 1)]


def names(kind: str, count: int) -> Sequence[str]:
    """Return names such as `user-01`, all of one length."""
    width = len(str(count))
    return [f"{kind}-{number:0{width}}" for number in range(1, count + 1)]


def check_at_least(setting: str, value: int, least: int) -> None:
    """Raise SimulationError if the value of the setting is less than `least`."""
    if value < least:
        raise SimulationError(f"{setting} is {value}; choose {least} or more")


def check_fraction(setting: str, value: float) -> None:
    """Raise SimulationError if the value of the setting is not between 0 and 1."""
    if not 0 <= value <= 1:
        raise SimulationError(f"{setting} is {value}; choose a fraction from 0 to 1")
