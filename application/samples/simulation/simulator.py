"""Simulators: generators of the input of sample flows, with the settings that a command offers for them."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, get_type_hints

from eddyline.application.samples.simulation.events import (
    START_MS,
    Least,
    SimulatedEvent,
    Timeline,
    check_at_least,
    check_fraction,
    random_numbers,
)


class SimulatorSetting(NamedTuple):
    """A setting of a simulator: its name, type and default, what it means, and its least value.

    A float is a fraction, from 0 to 1.
    """

    name: str
    type: Any
    default: Any
    meaning: str
    least: int | None = 0

    def check(self, value: Any) -> None:
        """Raise SimulationError if a value is out of range."""
        if self.type is float:
            check_fraction(self.name, value)
        elif self.least is not None:
            check_at_least(self.name, value, self.least)


_SEED = SimulatorSetting("seed", int, 0, "Seed; the same seed gives the same events.", None)
_START = SimulatorSetting("start_ms", int, START_MS, "Start of the simulation, in ms since the epoch.", None)


@dataclass(frozen=True)
class Simulator:
    """A generator of events, by the name of the flow that reads them, and the topics that it writes to.

    `simulate` adds the events to a timeline. It takes settings as keyword-only arguments with defaults; each is annotated with
    its meaning, and with `Least` if it must not be 0. Unless `delay_ms` is None, the fraction `out_of_order` of the events is
    delayed by up to so long by default.

    A live simulation, whose time is that of a clock, has other defaults for some settings, `live`, with which people see within a
    minute what the flow is there to find. It begins `history_ms` before now, because some of it takes longer than a minute.
    """

    name: str
    summary: str
    topics: tuple[str, ...]
    simulate: Callable[..., None]
    live: Mapping[str, float] = field(default_factory=dict)
    history_ms: int = 0
    delay_ms: int | None = None
    out_of_order: float = 0.0

    @property
    def settings(self) -> Mapping[str, SimulatorSetting]:
        """The settings that `generate` takes, by name."""
        found = [_SEED, _START]
        hints = get_type_hints(self.simulate, include_extras=True)
        for name, parameter in inspect.signature(self.simulate).parameters.items():
            if parameter.kind is parameter.KEYWORD_ONLY:
                meaning, *limits = hints[name].__metadata__
                least = next((limit.value for limit in limits if isinstance(limit, Least)), 0)
                found.append(SimulatorSetting(name, hints[name].__origin__, parameter.default, meaning, least))
        if self.delay_ms is not None:
            fraction = "Fraction of events that arrive out of order, from 0 to 1."
            found.append(SimulatorSetting("out_of_order", float, self.out_of_order, fraction))
            delay = "Maximum delay of events that arrive out of order, in ms."
            found.append(SimulatorSetting("delay_ms", int, self.delay_ms, delay))
        return {setting.name: setting for setting in found}

    def generate(self, **settings: Any) -> Iterator[SimulatedEvent]:
        """Return the events with these settings, and the defaults of all others, in order of arrival.

        Raises:
            SimulationError: A setting is out of range.
        """
        known = self.settings
        values = {name: setting.default for name, setting in known.items()} | settings
        for name, setting in known.items():
            setting.check(values[name])
        of_timeline = {name: values.pop(name) for name in ("start_ms", "out_of_order", "delay_ms") if name in known}
        timeline = Timeline(random_numbers(self.name, values.pop("seed")), **of_timeline)
        self.simulate(timeline, **values)
        return timeline.events()

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
