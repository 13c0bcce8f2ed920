"""What the services of a data centre write into their logs."""

from collections.abc import Iterator
from typing import Annotated

from eddyline.domain.simulation.events import MINUTE, START_MS, Seed, SimulatedEvent, Start, Timeline, check_at_least, dice

_SERVICES = ("basket", "catalogue", "login", "mail", "payment", "search")
_QUIET = (("DEBUG", "cache hit"), ("INFO", "request served"), ("INFO", "user signed in"), ("WARN", "slow answer"))
_TROUBLE = (("ERROR", "connection refused"), ("ERROR", "out of memory"), ("WARN", "trying again"), ("INFO", "request served"))


def log_triage(
    *,
    seed: Seed = 0,
    start_ms: Start = START_MS,
    entries: Annotated[int, "How many entries are written."] = 2_000,
    incidents: Annotated[int, "How many services are in trouble for some minutes, one after the other."] = 3,
) -> Iterator[SimulatedEvent]:
    """Entries of several services, mostly of success; a service in trouble writes errors. Raises SimulationError."""
    check_at_least("entries", entries, 0)
    check_at_least("incidents", incidents, 0)
    rng = dice("log-triage", seed)
    timeline, at = Timeline(rng), start_ms
    length = entries // (incidents + 1)
    troubled = {(number + 1) * length: rng.choice(_SERVICES) for number in range(incidents)}
    trouble, trouble_ends = "", start_ms
    for number in range(entries):
        if number in troubled:
            trouble, trouble_ends = troubled[number], at + rng.randint(2 * MINUTE, 5 * MINUTE)
        service = rng.choice(_SERVICES)
        kinds = _TROUBLE if service == trouble and at < trouble_ends else _QUIET
        severity, message = rng.choice(kinds)
        timeline.add(
            "logs", service, {"severity": severity, "service": service, "message": message, "ms": rng.randint(1, 900)}, at
        )
        at += rng.randint(1, 1_500)
    return timeline.events()
