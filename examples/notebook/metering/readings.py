"""Readings of electricity meters and the load of a district; the standard library only."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """A meter counted energy, in watt-hours, since its reading before."""

    district: str
    watt_hours: float


@dataclass(frozen=True, slots=True)
class Load:
    """The energy that the meters of a district counted in a window."""

    readings: int = 0
    watt_hours: float = 0.0

    def add(self, reading: Reading) -> "Load":
        """Return the load with one more reading."""
        return Load(self.readings + 1, self.watt_hours + reading.watt_hours)
