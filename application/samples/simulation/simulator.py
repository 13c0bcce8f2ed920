"""Simulators: generators of the input of sample flows, with the settings that a command offers for them."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
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
    """

    name: str
    summary: str
    topics: tuple[str, ...]
    generate: Callable[..., Iterator[SimulatedEvent]]

    @property
    def settings(self) -> Mapping[str, SimulatorSetting]:
        """The settings that `generate` takes, by name."""
        hints = get_type_hints(self.generate, include_extras=True)
        return {
            name: SimulatorSetting(name, hints[name].__origin__, parameter.default, hints[name].__metadata__[0])
            for name, parameter in inspect.signature(self.generate).parameters.items()
        }
