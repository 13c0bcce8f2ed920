"""The flows that commands know: those of modules that the user names, of installed packages, and the samples."""

import importlib
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from eddyline.adapters.cli.errors import CommandError, UsageError, origin_of
from eddyline.adapters.cli.module_paths import importable, is_path
from eddyline.adapters.cli.printable import echo
from eddyline.adapters.settings import flow_modules
from eddyline.application.flows.flow import Flow
from eddyline.application.flows.service import Service
from eddyline.application.samples.catalogue import FLOWS
from eddyline.application.topology.errors import suggested

ENTRY_POINTS = "eddyline.flows"
"""The entry-point group in which an installed package names its flows: each entry a Flow, a sequence of them, or a module."""


def known_flows(modules: Iterable[str] = (), config: Path | None = None) -> tuple[Flow, ...]:
    """Return the flows of the modules, then those of installed packages, then the samples.

    Without modules, those of the setting `flows` are used, from the environment or the settings file.

    A flow hides the flows of its name that come later, so that a user's flow may have the name of a sample. A package whose
    flows cannot be loaded is reported on standard error and left out.

    Raises:
        UsageError: a module does not exist or has no FLOWS, or two flows of the modules have the same name.
        CommandError: a module raised an exception when it was imported.
    """
    flows: dict[str, Flow] = {}
    for module in tuple(modules) or flow_modules(config):
        for flow in flows_of(module):
            if flows.setdefault(flow.name, flow) is not flow:
                raise UsageError(f"module '{module}' has another flow '{flow.name}'; rename one of them")
    for flow in (*_installed_flows(), *FLOWS):
        flows.setdefault(flow.name, flow)
    return tuple(flows.values())


def flow_named(name: str, flows: Sequence[Flow]) -> Flow:
    """Return the flow of this name.

    Raises:
        UsageError: there is none; the message has the nearest name.
    """
    found = next((flow for flow in flows if flow.name == name), None)
    if found is None:
        hint = suggested(name, [flow.name for flow in flows], "a flow of your own needs --flows, the module or file that has it;")
        raise UsageError(f"unknown flow '{name}'; {hint} {'Run' if hint.endswith('?') else 'run'} 'eddyline flows' to list them")
    return found


def flows_of(module: str) -> tuple[Flow, ...]:
    """Return the `FLOWS` of a module, and those that its `SERVICE` defines.

    Raises:
        UsageError: the module does not exist, or has neither FLOWS nor a SERVICE.
        CommandError: the module raised an exception when it was imported.
    """
    return _checked(imported(module), f"module '{module}'")


def services_of(modules: Iterable[str] = (), config: Path | None = None) -> tuple[Service, ...]:
    """Return the `SERVICE` of each module that has one; without modules, those of the setting `flows` are used.

    Raises what `flows_of` raises.
    """
    return tuple(
        found for name in tuple(modules) or flow_modules(config) if (found := _service(imported(name), f"module '{name}'"))
    )


def imported(module: str) -> ModuleType:
    """Import a module, which is searched for in the working directory first, or a file or package by its path.

    Raises:
        UsageError: the module does not exist.
        CommandError: the module raised an exception when it was imported.
    """
    open_working_directory()
    if is_path(module):
        module = importable(module)
    if not all(name.isidentifier() for name in module.split(".")):
        name = module.partition(":")[0]
        hint = f"; leave out ':{module.partition(':')[2]}'" if ":" in module and name else ""
        raise UsageError(f"'{module}' is not the name of a Python module, nor the path of a file or folder{hint}; check --flows")
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name is None or not f"{module}.".startswith(f"{missing.name}."):
            raise _broken(module, missing) from missing
        raise UsageError(
            f"module '{module}' not found in the working directory or among the installed packages; check --flows"
        ) from missing
    except (Exception, SystemExit) as raised:
        raise _broken(module, raised) from raised


def open_working_directory() -> None:
    """Make the modules of the working directory importable."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _broken(module: str, raised: BaseException) -> CommandError:
    return CommandError(f"cannot import module '{module}': {type(raised).__name__}: {raised}{origin_of(raised)}")


def _installed_flows() -> Iterator[Flow]:
    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        try:
            yield from _checked(entry.load(), f"entry point '{entry.name}' of {_package(entry)}")
        except Exception as raised:  # noqa: BLE001 - one broken package must not keep all other flows from being run
            echo(f"warning: cannot load the flows of {_package(entry)}: {raised}{origin_of(raised)}", err=True)


def _package(entry: EntryPoint) -> str:
    return f"package '{entry.dist.name}'" if entry.dist else f"'{entry.value}'"


def _checked(found: object, owner: str) -> tuple[Flow, ...]:
    """Return the flows of a module or an entry point.

    Raises:
        UsageError: it has no flows, or something else among them.
    """
    service = _service(found, owner)
    of_service = () if service is None else tuple(each.flow for each in service.members if isinstance(each.flow, Flow))
    flows = getattr(found, "FLOWS", found if service is None else ())
    if isinstance(flows, Flow):
        return (flows,)
    if not isinstance(flows, Sequence) or isinstance(flows, str):
        raise UsageError(f"{owner} does not define a tuple FLOWS; add FLOWS = (Flow(…), …), with Flow imported from eddyline")
    others = [item for item in flows if not isinstance(item, Flow)]
    if others:
        raise UsageError(f"FLOWS of {owner} contains {others[0]!r}, which is not an eddyline.Flow; remove it")
    return (*flows, *(flow for flow in of_service if flow not in flows))


def _service(found: object, owner: str) -> Service | None:
    service = getattr(found, "SERVICE", None)
    if service is None or isinstance(service, Service):
        return service
    raise UsageError(
        f"SERVICE of {owner} is {service!r}, which is not an eddyline.Service; write SERVICE = Service('name', flows=[…])"
    )
