"""Finding flows by name."""

from collections.abc import Iterable

from eddyline.application.flows.flow import Flow
from eddyline.application.topology.errors import listed


class UnknownFlowError(LookupError):
    """There is no flow of this name; the message names those that there are."""


def find_flow(name: str, flows: Iterable[Flow]) -> Flow:
    """Return the flow of this name. Raises UnknownFlowError."""
    known = tuple(flows)
    for flow in known:
        if flow.name == name:
            return flow
    msg = f"flow '{name}' is unknown; there are: {listed(flow.name for flow in known)}"
    raise UnknownFlowError(msg)
