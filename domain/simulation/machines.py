"""What the sensors of machines show: machines in order, machines that wear out, and machines that fall silent."""

from collections.abc import Iterator
from math import nan
from random import Random
from typing import Annotated

from eddyline.domain.maintenance import Reading, Service
from eddyline.domain.simulation.events import (
    HOUR,
    MINUTE,
    SECOND,
    START_MS,
    Delay,
    OutOfOrder,
    Seed,
    SimulatedEvent,
    Start,
    Timeline,
    check_at_least,
    check_part,
    dice,
    happens,
    names,
)

_READING_EVERY_MS = 30 * SECOND
_WEARS_FOR_MS = 30 * MINUTE
_STAYS_SILENT_FOR_MS = 25 * MINUTE
_TECHNICIANS = ("Kim", "Lea", "Max")


def device_maintenance(
    *,
    seed: Seed = 0,
    start_ms: Start = START_MS,
    machines: Annotated[int, "How many machines stay in order."] = 8,
    worn: Annotated[int, "How many more wear out within half an hour, and are served then."] = 2,
    silent: Annotated[int, "How many more fall silent, and are served 25 minutes later."] = 1,
    hours: Annotated[int, "For how long."] = 2,
    spoilt: Annotated[float, "The part of readings of broken sensors, 0 to 1."] = 0.001,
    out_of_order: OutOfOrder = 0.0,
    delay_ms: Delay = 20 * SECOND,
) -> Iterator[SimulatedEvent]:
    """A reading of each machine every half minute. A worn machine gets hotter and rougher minute by minute.

    Raises SimulationError.
    """
    check_at_least("machines", machines, 0)
    check_at_least("worn", worn, 0)
    check_at_least("silent", silent, 0)
    check_at_least("hours", hours, 1)
    check_part("spoilt", spoilt)
    rng = dice("device-maintenance", seed)
    timeline, end = Timeline(rng, out_of_order, delay_ms), start_ms + hours * HOUR
    kinds = [*[0] * machines, *[_WEARS_FOR_MS] * worn, *[_STAYS_SILENT_FOR_MS] * silent]
    for number, (name, lasts) in enumerate(zip(names("machine", len(kinds)), kinds, strict=True)):
        begins = start_ms + rng.randint(10 * MINUTE, 25 * MINUTE) if lasts else end
        fails = number >= machines + worn
        if lasts:
            timeline.add("services", name, Service(rng.choice(_TECHNICIANS)), begins + lasts)
        for at in range(start_ms + rng.randint(0, _READING_EVERY_MS), end, _READING_EVERY_MS):
            in_trouble = begins <= at < begins + lasts
            if in_trouble and fails:
                continue
            wear = (at - begins) / lasts if in_trouble else 0.0
            timeline.add("sensor-readings", name, _reading(rng, wear, spoilt), at)
    return timeline.events()


def _reading(rng: Random, wear: float, spoilt: float) -> Reading:
    if happens(rng, spoilt):
        return rng.choice((Reading(nan, 1.0), Reading(60.0, -1.0)))
    temperature = 60 + 20 * wear + rng.uniform(-0.5, 0.5)
    vibration = 1 + 3 * wear + rng.uniform(-0.1, 0.1)
    return Reading(round(temperature, 2), round(vibration, 3))
