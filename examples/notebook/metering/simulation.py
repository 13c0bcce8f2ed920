"""Simulated meters. Most readings arrive within seconds; some meters have a poor connection and send theirs minutes later."""

from collections.abc import Iterator
from math import cos, pi
from random import Random
from typing import NamedTuple

from metering.readings import Reading

MINUTE_MS = 60_000
START_MS = 1_782_864_000_000
"""1 July 2026, 00:00 UTC."""
DISTRICTS = {"harbour": 12, "hill": 8}
"""The number of meters in each district."""
POOR_CONNECTIONS = 4
"""One meter in so many has a poor connection."""


class Arrival(NamedTuple):
    """A reading on its way: the meter, the reading, when it was taken and when it arrived, in ms since the epoch."""

    meter: str
    reading: Reading
    taken_ms: int
    arrived_ms: int


def arrivals(hours: int = 24, seed: int = 1) -> list[Arrival]:
    """Return a reading per meter and minute, in the order of their arrival; the same ones for the same seed."""
    return sorted(_readings(hours, Random(seed)), key=lambda arrival: arrival.arrived_ms)


def _readings(hours: int, random: Random) -> Iterator[Arrival]:
    for district, meters in DISTRICTS.items():
        for number in range(meters):
            mean_delay_s = 120 if number % POOR_CONNECTIONS == 0 else 2
            for minute in range(hours * 60):
                taken_ms = START_MS + minute * MINUTE_MS
                watts = 500 - 300 * cos(2 * pi * minute / (24 * 60)) + random.gauss(0, 50)
                delay_ms = round(random.expovariate(1 / mean_delay_s) * 1_000)
                yield Arrival(f"{district}-{number}", Reading(district, round(watts / 60, 3)), taken_ms, taken_ms + delay_ms)
