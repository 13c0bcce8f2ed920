"""The flows that a command knows: those of the project, and those of modules that the user names."""

import difflib
import importlib
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from eddyline.adapters.cli.errors import UsageError
from eddyline.application.flows.flow import Flow
from eddyline.application.flows.registry import FLOWS


def known_flows(modules: Iterable[str] = ()) -> tuple[Flow, ...]:
    """The project's flows and those in the `FLOWS` of each module, in this order.

    Raises UsageError for a module that cannot be imported or has no FLOWS, and for a name that occurs twice.
    """
    flows: dict[str, Flow] = {flow.name: flow for flow in FLOWS}
    for module in modules:
        for flow in flows_of(module):
            if flows.setdefault(flow.name, flow) is not flow:
                raise UsageError(f"flow '{flow.name}' of module '{module}' has the name of another flow; give it one of its own")
    return tuple(flows.values())


def flow_named(name: str, flows: Sequence[Flow]) -> Flow:
    """The flow of this name. Raises UsageError that tells the nearest names, or all."""
    found = next((flow for flow in flows if flow.name == name), None)
    if found is None:
        names = [flow.name for flow in flows]
        near = difflib.get_close_matches(name, names) or names
        raise UsageError(f"flow '{name}' is unknown; nearest: {', '.join(near)} (`eddyline flows` lists all)")
    return found


def flows_of(module: str) -> tuple[Flow, ...]:
    """The `FLOWS` of a module, looked for in the working folder first. Raises UsageError."""
    open_working_folder()
    try:
        found = importlib.import_module(module).FLOWS
    except ImportError as missing:
        raise UsageError(f"module '{module}' cannot be imported: {missing}") from missing
    except AttributeError as nameless:
        raise UsageError(
            f"module '{module}' has no FLOWS; it needs a tuple of eddyline.application.flows.flow.Flow"
        ) from nameless
    strangers = [thing for thing in found if not isinstance(thing, Flow)]
    if strangers:
        raise UsageError(f"FLOWS of module '{module}' holds {strangers[0]!r}, which is no eddyline.application.flows.flow.Flow")
    return tuple(found)


def open_working_folder() -> None:
    """Makes modules of the working folder importable."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
