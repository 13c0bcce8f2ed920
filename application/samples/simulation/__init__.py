"""Simulated events with the shape of real ones: generators that return the same events for the same settings."""

from eddyline.application.samples.simulation.events import SimulatedEvent, SimulationError
from eddyline.application.samples.simulation.simulator import Simulator, SimulatorSetting

__all__ = ["SimulatedEvent", "SimulationError", "Simulator", "SimulatorSetting"]
