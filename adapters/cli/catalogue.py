"""The flows that a command knows: those of modules that the user names, of installed packages, and the samples."""

import difflib
import importlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import typer

from eddyline.adapters.cli.errors import CommandError, UsageError, origin_of
from eddyline.application.flows.flow import Flow
from eddyline.application.samples.catalogue import FLOWS

ENTRY_POINTS = "eddyline.flows"
"""The entry-point group in which an installed package names its flows: each entry a Flow, a sequence of them, or a module."""


def known_flows(modules: Iterable[str] = ()) -> tuple[Flow, ...]:
    """Return the flows of the modules, then those of installed packages, then the samples.

    A flow hides the flows of its name that come later, so that a user's flow may have the name of a sample.
    Raises what `flows_of` raises, and UsageError for two flows of one name in the modules.
    A package whose flows cannot be loaded is reported on standard error and left out.
    """
    flows: dict[str, Flow] = {}
    for module in modules:
        for flow in flows_of(module):
            if flows.setdefault(flow.name, flow) is not flow:
                raise UsageError(f"flow '{flow.name}' of module '{module}' has the name of another flow; rename one of them")
    for flow in (*_installed_flows(), *FLOWS):
        flows.setdefault(flow.name, flow)
    return tuple(flows.values())


def flow_named(name: str, flows: Sequence[Flow]) -> Flow:
    """Return the flow of this name. Raises UsageError with the nearest names, or all."""
    found = next((flow for flow in flows if flow.name == name), None)
    if found is None:
        names = [flow.name for flow in flows]
        near = difflib.get_close_matches(name, names) or names
        raise UsageError(f"flow '{name}' is unknown; nearest: {', '.join(near)} (`eddyline flows` lists all)")
    return found


def flows_of(module: str) -> tuple[Flow, ...]:
    """Return the `FLOWS` of a module, which is searched for in the working folder first.

    Raises UsageError for a module that is not there or has no FLOWS, and CommandError with the exception that a module raised.
    """
    open_working_folder()
    try:
        return _checked(importlib.import_module(module), f"module '{module}'")
    except ModuleNotFoundError as missing:
        if missing.name is None or not f"{module}.".startswith(f"{missing.name}."):
            raise _broken(module, missing) from missing
        raise UsageError(
            f"module '{module}' was not found in the working folder or among the installed packages; check --flows"
        ) from missing
    except UsageError:
        raise
    except Exception as raised:
        raise _broken(module, raised) from raised


def open_working_folder() -> None:
    """Make modules of the working folder importable."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _broken(module: str, raised: Exception) -> CommandError:
    return CommandError(f"module '{module}' cannot be imported: {type(raised).__name__}: {raised}{origin_of(raised)}")


def _installed_flows() -> Iterator[Flow]:
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        try:
            yield from _checked(entry.load(), f"entry point '{entry.name}' of {_package(entry)}")
        except Exception as raised:  # noqa: BLE001 - one broken package must not keep all other flows from being run
            typer.echo(f"warning: the flows of {_package(entry)} are left out: {raised}{origin_of(raised)}", err=True)


def _package(entry: EntryPoint) -> str:
    return f"package '{entry.dist.name}'" if entry.dist else f"'{entry.value}'"


def _checked(found: object, owner: str) -> tuple[Flow, ...]:
    """Return the flows in what a module or an entry point holds. Raises UsageError."""
    if isinstance(found, Flow):
        return (found,)
    flows = getattr(found, "FLOWS", found)
    if not isinstance(flows, Sequence) or isinstance(flows, str):
        raise UsageError(f"{owner} has no FLOWS; define FLOWS = (Flow(…), …) in it, with Flow from eddyline")
    strangers = [thing for thing in flows if not isinstance(thing, Flow)]
    if strangers:
        raise UsageError(f"FLOWS of {owner} contains {strangers[0]!r}, which is not an eddyline.Flow")
    return tuple(flows)
