"""Makes an application start anew: what it has left is shown, and taken away where somebody agrees.

Places are emptied in the order given; the one with the checkpoint comes first, so that whatever interrupts this, no run goes
on from a checkpoint whose results are gone. Doing it again takes away the rest.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from enum import StrEnum

from eddyline.application.ports.resettable_state import Application, Artifact, ResettableState
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import SinkNode

_RUN = "[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?"

Agreed = Callable[[Sequence[Artifact]], bool]
"""Is shown what would go, and says whether it shall."""


class Outcome(StrEnum):
    """What a reset came to."""

    CLEAN = "clean"
    REFUSED = "refused"
    DONE = "done"


def reset(places: Sequence[ResettableState], application: Application, agreed: Agreed) -> Outcome:
    """Shows what the application has left in all places and, where that is agreed to, takes it away.

    The application cannot start between the two. Where nothing is left nobody is asked. Raises ApplicationRunningError.
    """
    with ExitStack() as stack:
        for place in places:
            stack.enter_context(place.locked(application))
        found = [(place, artifact) for place in places for artifact in place.find(application)]
        if not found:
            return Outcome.CLEAN
        if not agreed([artifact for _, artifact in found]):
            return Outcome.REFUSED
        for place, artifact in found:
            place.remove(application, artifact)
    return Outcome.DONE


def outputs(topology: Topology) -> tuple[str, ...]:
    """The topics that hold results of the topology and nothing else that it reads from others, sorted."""
    return tuple(sorted(spec.name for spec in topology.sink_topics))


def read_back(topology: Topology) -> tuple[str, ...]:
    """The topics that the topology writes and reads again, sorted: what is left in them counts as new input."""
    return tuple(sorted({spec.name for spec in topology.source_topics} & set(outputs(topology))))


def chooses_topics(topology: Topology) -> bool:
    """Whether records choose topics, so that not all outputs are known by name."""
    return any(isinstance(node, SinkNode) and not isinstance(node.topic, str) for node in topology.nodes)


def is_writer_of(application_id: str, writer: str) -> bool:
    """Whether a sink knows a run of the application by this name: the id and a random part."""
    start = f"{application_id}-"
    return writer.startswith(start) and re.fullmatch(_RUN, writer.removeprefix(start)) is not None
