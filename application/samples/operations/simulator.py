"""Simulated machines with sensors, some of which fail, and the log entries and the load of services in a data centre."""

from math import nan
from random import Random
from typing import Annotated

from eddyline.application.samples.simulation.events import (
    HOUR,
    MINUTE,
    SECOND,
    Least,
    Timeline,
    happens,
    names,
    spread,
)
from eddyline.domain.operations import LogEvent, Reading, Service, ServiceLoad

_READING_INTERVAL_MS = 30 * SECOND
_WEAR_MS = 30 * MINUTE
_SILENCE_MS = 25 * MINUTE
_TECHNICIANS = ("Kim", "Lea", "Max")

_LOAD_INTERVAL_MS = 2 * SECOND
_OVERLOAD_MS = 20 * SECOND
_SERVICES = ("basket", "catalogue", "login", "mail", "payment", "search")
_NORMAL = (("DEBUG", "cache hit"), ("INFO", "request served"), ("INFO", "user signed in"), ("WARN", "slow answer"))
_TROUBLE = (("ERROR", "connection refused"), ("ERROR", "out of memory"), ("WARN", "trying again"), ("INFO", "request served"))


def simulate_device_maintenance(
    timeline: Timeline,
    *,
    machines: Annotated[int, "Number of machines that work well."] = 8,
    worn: Annotated[int, "Number of machines that wear out within half an hour and are serviced then."] = 2,
    silent: Annotated[int, "Number of machines that fall silent and are serviced 25 minutes later."] = 1,
    hours: Annotated[int, "Duration, in hours.", Least(1)] = 2,
    spoilt: Annotated[float, "Fraction of readings of broken sensors, from 0 to 1."] = 0.001,
) -> None:
    """Simulate a reading of each machine every 30 seconds; a worn machine gets hotter and vibrates more minute by minute."""
    rng, start_ms = timeline.rng, timeline.start_ms
    end = start_ms + hours * HOUR
    troubles = [*[0] * machines, *[_WEAR_MS] * worn, *[_SILENCE_MS] * silent]
    for number, (name, lasts) in enumerate(zip(names("machine", len(troubles)), troubles, strict=True)):
        starts = start_ms + rng.randint(10 * MINUTE, 25 * MINUTE) if lasts else end
        falls_silent = number >= machines + worn
        if lasts:
            timeline.add("services", name, Service(rng.choice(_TECHNICIANS)), starts + lasts)
        for at in range(start_ms + rng.randint(0, _READING_INTERVAL_MS), end, _READING_INTERVAL_MS):
            in_trouble = starts <= at < starts + lasts
            if in_trouble and falls_silent:
                continue
            wear = (at - starts) / lasts if in_trouble else 0.0
            timeline.add("sensor-readings", name, _reading(rng, wear, spoilt), at)


def _reading(rng: Random, wear: float, spoilt: float) -> Reading:
    if happens(rng, spoilt):
        return rng.choice((Reading(nan, 1.0), Reading(60.0, -1.0)))
    temperature = 60 + 20 * wear + rng.uniform(-0.5, 0.5)
    vibration = 1 + 3 * wear + rng.uniform(-0.1, 0.1)
    return Reading(round(temperature, 2), round(vibration, 3))


def simulate_log_triage(
    timeline: Timeline,
    *,
    entries: Annotated[int, "Number of log entries."] = 2_000,
    incidents: Annotated[int, "Number of incidents, in each of which one service is in trouble for some minutes."] = 3,
) -> None:
    """Simulate the log entries of several services, most of which are harmless; a service in trouble writes errors."""
    rng, start_ms = timeline.rng, timeline.start_ms
    at = start_ms
    length = entries // (incidents + 1)
    troubled = {(number + 1) * length: rng.choice(_SERVICES) for number in range(incidents)}
    trouble, trouble_ends = "", start_ms
    for number in range(entries):
        if number in troubled:
            trouble, trouble_ends = troubled[number], at + rng.randint(2 * MINUTE, 5 * MINUTE)
        service = rng.choice(_SERVICES)
        kinds = _TROUBLE if service == trouble and at < trouble_ends else _NORMAL
        severity, message = rng.choice(kinds)
        timeline.add("logs", service, LogEvent(severity, message, service), at)
        at += rng.randint(1, 1_500)


def simulate_load_percentiles(
    timeline: Timeline,
    *,
    hosts: Annotated[int, "Number of hosts of each service.", Least(1)] = 4,
    minutes: Annotated[int, "Duration, in minutes."] = 10,
    overloads: Annotated[int, "Number of times that some hosts of a service are overloaded for 20 seconds."] = 5,
) -> None:
    """Simulate the load of every host each 2 seconds; when a service is overloaded, only some of its hosts are."""
    rng, start_ms = timeline.rng, timeline.start_ms
    lasts = minutes * MINUTE
    troubles = [(rng.choice(_SERVICES), at) for at in spread(start_ms, lasts, overloads)]
    for service in _SERVICES:
        for number, host in enumerate(names(f"{service}-host", hosts)):
            busy = [at for troubled, at in troubles if troubled == service and number <= hosts // 4]
            for at in range(start_ms + rng.randint(0, _LOAD_INTERVAL_MS), start_ms + lasts, _LOAD_INTERVAL_MS):
                overloaded = any(since <= at < since + _OVERLOAD_MS for since in busy)
                load = rng.uniform(95, 140) if overloaded else rng.uniform(20, 60)
                timeline.add("service-loads", host, ServiceLoad(service, round(load, 1)), at)
