"""Helpers for tests of simulated events."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from eddyline.application.samples.simulation import SimulatedEvent


def by_key(events: Iterable[SimulatedEvent], topic: str) -> dict[str, list[SimulatedEvent]]:
    """Return the events of a topic by key, in order of arrival."""
    found = defaultdict(list)
    for event in events:
        if event.topic == topic:
            found[str(event.key)].append(event)
    return found


def gaps(events: Iterable[SimulatedEvent]) -> list[int]:
    """Return the time from each event to the next, in ms."""
    return [later.timestamp - earlier.timestamp for earlier, later in pairwise(events)]
