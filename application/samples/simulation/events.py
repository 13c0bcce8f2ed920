"""What all simulations share: events, the order in which they arrive, and the checks of settings.

All times are milliseconds since the epoch.
"""

import random
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Annotated, Any, NamedTuple, TypeAlias

START_MS = 1_767_600_000_000
"""When simulations begin unless told otherwise: Monday, 2026-01-05, 8:00 UTC."""

Seed: TypeAlias = Annotated[int, "The same seed gives the same events."]
Start: TypeAlias = Annotated[int, "When it begins, in ms since the epoch."]
OutOfOrder: TypeAlias = Annotated[float, "The part that arrives after later events, 0 to 1."]
Delay: TypeAlias = Annotated[int, "How late these arrive at most, in ms."]

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE


class SimulationError(ValueError):
    """A setting of the simulation cannot be followed; the message names it, its value, what is allowed and the cure."""


class SimulatedEvent(NamedTuple):
    """A record for a topic; `timestamp` is its event time in milliseconds since the epoch."""

    topic: str
    key: str | None
    value: Any
    timestamp: int


class Timeline:
    """Takes events in any order and gives them in the order in which they arrive.

    The part `out_of_order` of them arrives up to `delay_ms` after its event time, all others at once.
    """

    def __init__(self, rng: random.Random, out_of_order: float = 0.0, delay_ms: int = 0) -> None:
        check_part("out_of_order", out_of_order)
        check_at_least("delay_ms", delay_ms, 0)
        self._rng = rng
        self._out_of_order = out_of_order
        self._delay_ms = delay_ms
        self._arrivals: list[tuple[int, SimulatedEvent]] = []

    def add(self, topic: str, key: str | None, value: Any, at: int) -> None:
        """An event that happens at a time."""
        delayed = happens(self._rng, self._out_of_order)
        self.add_late(topic, key, value, at, self._rng.randint(0, self._delay_ms) if delayed else 0)

    def add_late(self, topic: str, key: str | None, value: Any, at: int, late_ms: int) -> None:
        """An event that happens at a time and arrives so much later."""
        self._arrivals.append((at + late_ms, SimulatedEvent(topic, key, value, at)))

    def events(self) -> Iterator[SimulatedEvent]:
        """All events in the order in which they arrive, those that arrive together in the order in which they were added."""
        self._arrivals.sort(key=itemgetter(0))
        return (event for _, event in self._arrivals)


def dice(name: str, seed: int) -> random.Random:
    """The random numbers of a simulation."""
    return random.Random(f"{name} {seed}")  # noqa: S311 - a game, not a secret


def happens(rng: random.Random, part: float) -> bool:
    """Whether something happens that happens this part of the times."""
    return rng.random() < part


def by_rank(count: int) -> list[float]:
    """How often things are chosen of which the first is the best liked: twice as often as the second, and so on."""
    return [1 / rank for rank in range(1, count + 1)]


def names(kind: str, count: int) -> Sequence[str]:
    """Names such as `user-01`, all of one length."""
    width = len(str(count))
    return [f"{kind}-{number:0{width}}" for number in range(1, count + 1)]


def check_at_least(setting: str, value: int, least: int) -> None:
    """Raises SimulationError when the value is less."""
    if value < least:
        raise SimulationError(f"{setting} is {value}; give {least} or more")


def check_part(setting: str, value: float) -> None:
    """Raises SimulationError when the value is no part of a whole."""
    if not 0 <= value <= 1:
        raise SimulationError(f"{setting} is {value}; it is a part of all: give a number from 0 to 1")
