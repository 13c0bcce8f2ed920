"""Temperatures of trucks, and when an average is too warm; the standard library only."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Reading:
    """A sensor in a truck measured a temperature in degrees Celsius."""

    truck: str
    celsius: float
    taken_at: datetime


@dataclass(frozen=True, slots=True)
class Alarm:
    """The load of a truck was too warm on average from one time to another."""

    truck: str
    celsius: float
    readings: int
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Average:
    """The average of several temperatures."""

    readings: int = 0
    sum: float = 0.0

    def add(self, reading: Reading) -> "Average":
        """Return the average with one more reading."""
        return Average(self.readings + 1, self.sum + reading.celsius)

    @property
    def celsius(self) -> float:
        """The average in degrees Celsius, rounded to a tenth."""
        return round(self.sum / self.readings, 1)

    def alarm(self, truck: str, start: datetime, end: datetime) -> Alarm:
        """Return the alarm about a truck whose average is too warm."""
        return Alarm(truck, self.celsius, self.readings, start, end)
