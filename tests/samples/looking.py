"""How tests look at simulated events."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from eddyline.application.samples.simulation import SimulatedEvent


def by_key(events: Iterable[SimulatedEvent], topic: str) -> dict[str, list[SimulatedEvent]]:
    """The events of a topic under their keys, in order of arrival."""
    found = defaultdict(list)
    for event in events:
        if event.topic == topic:
            found[str(event.key)].append(event)
    return found


def gaps(events: Iterable[SimulatedEvent]) -> list[int]:
    """The times between each event and the next."""
    return [later.timestamp - earlier.timestamp for earlier, later in pairwise(events)]
