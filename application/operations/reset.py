"""Resets an application: removes what its runs have left, so that the next run reprocesses its input from the beginning.

The systems are reset in the order given. The one that holds the checkpoint comes first: if the reset is interrupted, no run can
resume from a checkpoint whose results have been removed. Repeating the reset removes the rest.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from enum import StrEnum
from typing import TypeAlias

from eddyline.application.ports.resettable_state import Application, Artifact, ResettableState
from eddyline.application.topology import Topology
from eddyline.application.topology.nodes import SinkNode

_RUN_ID = "[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?"

Confirm: TypeAlias = Callable[[Sequence[Artifact]], bool]
"""Receives the artifacts that would be removed; returns whether to remove them."""


class Outcome(StrEnum):
    """The outcome of a reset."""

    NOTHING_TO_DO = "nothing to do"
    DECLINED = "declined"
    DONE = "done"


def reset(systems: Sequence[ResettableState], application: Application, confirm: Confirm) -> Outcome:
    """Find the artifacts of an application in all systems and remove them if `confirm` agrees.

    All systems stay locked in the meantime, so that the application cannot start.

    Args:
        systems: The systems that keep state of the application, the one with its checkpoint first.
        application: The application, and the topics whose records are to be removed.
        confirm: Decides whether to remove the artifacts; not called if there are none.

    Raises:
        ApplicationRunningError: the application is running; nothing was removed.
        UnmarkedArtifactError: something may belong to another application; nothing was removed.
    """
    with ExitStack() as locks:
        for system in systems:
            locks.enter_context(system.locked(application))
        found = [(system, artifact) for system in systems for artifact in system.find(application)]
        if not found:
            return Outcome.NOTHING_TO_DO
        if not confirm([artifact for _, artifact in found]):
            return Outcome.DECLINED
        for system, artifact in found:
            system.remove(application, artifact)
    return Outcome.DONE


def output_topics(topology: Topology) -> tuple[str, ...]:
    """Return the topics that the topology writes to, as far as they are known by name, sorted."""
    return tuple(sorted(spec.name for spec in topology.sink_topics))


def intermediate_topics(topology: Topology) -> tuple[str, ...]:
    """Return the topics that the topology both writes and reads, sorted: records left in them are processed as input."""
    return tuple(sorted({spec.name for spec in topology.source_topics} & set(output_topics(topology))))


def has_dynamic_topics(topology: Topology) -> bool:
    """Return whether a sink chooses the topic per record, so that not all output topics are known by name."""
    return any(isinstance(node, SinkNode) and not isinstance(node.topic, str) for node in topology.nodes)


def keeps_state(application_id: str, writer: str) -> bool:
    """Return whether a writer id of a sink is one of an application on an engine that continues where it has stopped."""
    return re.fullmatch(f"{re.escape(application_id)}-[0-9a-f]{{8}}", writer) is not None


def is_writer_of(application_id: str, writer: str) -> bool:
    """Return whether a writer id of a sink belongs to the application: its id, a hyphen and a random run id."""
    prefix = f"{application_id}-"
    return writer.startswith(prefix) and re.fullmatch(_RUN_ID, writer.removeprefix(prefix)) is not None
