"""Finding flows by name."""

from collections.abc import Iterable

from eddyline.application.flows.flow import Flow
from eddyline.application.topology.errors import suggested


class UnknownFlowError(LookupError):
    """There is no flow of this name; the message names the most similar one, or all."""


def find_flow(name: str, flows: Iterable[Flow]) -> Flow:
    """Return the flow of this name.

    Raises:
        UnknownFlowError: There is no such flow.
    """
    known: dict[str, Flow] = {}
    for flow in flows:
        known.setdefault(flow.name, flow)
    if name in known:
        return known[name]
    raise UnknownFlowError(f"unknown flow '{name}'; {suggested(name, known)}")
