"""Simulators: generators of the input of sample flows, with the settings that a command offers for them."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, get_type_hints

from eddyline.application.samples.simulation.events import SimulatedEvent


class SimulatorSetting(NamedTuple):
    """A setting of a simulator: its name, type and default, and what it means."""

    name: str
    type: Any
    default: Any
    meaning: str


@dataclass(frozen=True)
class Simulator:
    """A generator of events, by the name of the flow that reads them, and the topics that it writes to.

    `generate` takes settings as keyword-only arguments with defaults; each is annotated with its meaning.

    A live simulation, whose time is that of a clock, has other defaults for some settings, `live`, with which people see within a
    minute what the flow is there to find. It begins `history_ms` before now, because some of it takes longer than a minute.
    """

    name: str
    summary: str
    topics: tuple[str, ...]
    generate: Callable[..., Iterator[SimulatedEvent]]
    live: Mapping[str, float] = field(default_factory=dict)
    history_ms: int = 0

    @property
    def settings(self) -> Mapping[str, SimulatorSetting]:
        """The settings that `generate` takes, by name."""
        hints = get_type_hints(self.generate, include_extras=True)
        return {
            name: SimulatorSetting(name, hints[name].__origin__, parameter.default, hints[name].__metadata__[0])
            for name, parameter in inspect.signature(self.generate).parameters.items()
        }

    def live_events(
        self, now_ms: Callable[[], int], *, seed: int = 0, history: bool = True, **settings: Any
    ) -> Iterator[SimulatedEvent]:
        """Generate events without end, in order of arrival: one simulation after another, each with the next seed.

        An event arrives at the greatest timestamp so far. None are generated if a simulation with these settings has no events.

        Args:
            now_ms: Returns the time in ms since the epoch.
            seed: The seed of the first simulation.
            history: Whether the first simulation begins `history_ms` before now; one that goes on after another would repeat
                a time that the flows have passed.
            settings: The settings that differ from those of a live simulation.

        Raises:
            SimulationError: A setting is out of range.
        """
        start = now_ms() - (self.history_ms if history else 0)
        while True:
            end = start
            for event in self.generate(**{**self.live, **settings, "seed": seed, "start_ms": start}):
                end = max(end, event.timestamp)
                yield event
            if end == start:
                return
            seed, start = seed + 1, max(end, now_ms())
