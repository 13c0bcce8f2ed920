"""Made-up events with the shape of real ones: pure generators that give the same events for the same settings."""

from eddyline.domain.simulation.events import SimulatedEvent, SimulationError
from eddyline.domain.simulation.trades import SimulatedTrade, Simulation, session

__all__ = ["SimulatedEvent", "SimulatedTrade", "Simulation", "SimulationError", "session"]
