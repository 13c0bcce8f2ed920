"""Finds the service that a command names: in a TOML file, or as the SERVICE of a module."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from eddyline.adapters.cli.catalogue import services_of
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.module_paths import is_path
from eddyline.adapters.settings import TomlError, flattened, read_toml_file, reason_of
from eddyline.application.flows.service import Service, ServiceFlow
from eddyline.application.topology.errors import listed, suggested

DEFAULT_FILE: Final = Path("service.toml")
_SUFFIX: Final = ".toml"
_EXAMPLE: Final = 'name = "brokerage" and, for each flow, [[flows]] with flow = "stock-stats"'


def find_service(name: str | None, modules: Sequence[str] = (), config: Path | None = None) -> tuple[Service, tuple[str, ...]]:
    """Return a service, and the modules with its flows.

    Args:
        name: The path of a TOML file, or the name of the SERVICE of a module; None for `service.toml`, if it exists, else for the
            only SERVICE of the modules.
        modules: The modules, besides those that the file names; by default those of the setting `flows`.
        config: The settings file.

    Raises:
        UsageError: There is no such service, or the file is invalid.
        ServiceError: The service is invalid.
    """
    file = file_of(name)
    if file is not None:
        return _read(file, modules)
    found = services_of(modules, config)
    chosen = [service for service in found if name is None or service.name == name]
    if len(chosen) == 1:
        return chosen[0], tuple(modules)
    if not found:
        what = "no service" if name is None else f"unknown service '{name}'"
        raise UsageError(
            f"{what}; write a file '{DEFAULT_FILE}' ({_EXAMPLE}), or name a module with SERVICE = Service('name', flows=[…]) with"
            " --flows"
        )
    names = [service.name for service in found]
    if name is None or chosen:
        raise UsageError(f"there are several services; choose one of: {listed(names)}")
    raise UsageError(f"unknown service '{name}'; {suggested(name, names)}")


def file_of(name: str | None) -> Path | None:
    """Return the TOML file that `find_service` reads for a name, None if it takes the SERVICE of a module."""
    if name is None:
        return DEFAULT_FILE if DEFAULT_FILE.exists() else None
    return Path(name) if name.endswith(_SUFFIX) else None


def _read(file: Path, modules: Sequence[str]) -> tuple[Service, tuple[str, ...]]:
    try:
        content = read_toml_file(file)
    except FileNotFoundError:
        raise UsageError(f"service file '{file}' does not exist; give the path of a TOML file with {_EXAMPLE}") from None
    except OSError as unreadable:
        raise UsageError(f"cannot read service file '{file}': {reason_of(unreadable)}") from None
    except TomlError as unreadable:
        raise UsageError(f"cannot read service file '{file}' as TOML: {unreadable}") from None
    name, tables = content.pop("name", None), content.pop("flows", None)
    if not isinstance(name, str):
        raise UsageError(f"service file '{file}' has no name; add name = \"{file.resolve().parent.name}\"")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise UsageError(f"service file '{file}' has no flows; add for each flow a table [[flows]] with flow = \"stock-stats\"")
    flows = [_flow(file, number, table) for number, table in enumerate(tables, 1)]
    alerts = _names(file, "alerts", content.pop("alerts", []))
    own = [_module(file, each) for each in _names(file, "modules", content.pop("modules", []))]
    return Service(name, flows, alerts, dict(flattened(content))), (*modules, *own)


def _flow(file: Path, number: int, table: Mapping[str, Any]) -> ServiceFlow:
    others = dict(table)
    flow = others.pop("flow", None)
    if not isinstance(flow, str):
        raise UsageError(f"table {number} of [[flows]] in service file '{file}' names no flow; add flow = \"stock-stats\"")
    engine, version = others.pop("engine", None), others.pop("version", None)
    return ServiceFlow(flow, engine, version, dict(flattened(others)))


def _names(file: Path, key: str, value: object) -> list[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(each, str) for each in names):
        raise UsageError(
            f"'{key}' in service file '{file}' is {value!r}; write a list of names, such as {key} = [\"one\", \"two\"]"
        )
    return names


def _module(file: Path, name: str) -> str:
    """Return a module; its path is relative to the file."""
    return str(file.parent.resolve() / Path(name).expanduser()) if is_path(name) else name
