"""`eddyline services`: a broker and a schema registry on this machine, for development."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column, Table

from eddyline.adapters.cli.errors import CommandError
from eddyline.adapters.cli.screen import stderr, stdout
from eddyline.adapters.services.supervisor import Condition, Service, ServiceStatus, Supervisor

app = typer.Typer(
    name="services",
    help="A Kafka broker and a schema registry on this machine, for development; they listen on loopback only.",
    no_args_is_help=True,
)

_Which = Annotated[list[Service] | None, typer.Argument(help="Which ones; all where none is named.", show_default=False)]
_Folder = Annotated[
    Path, typer.Option(help="Where programs, data and logs of the services are kept.", envvar="EDDYLINE_SERVICES_FOLDER")
]
_DEFAULT_FOLDER = Path(".services")
_VARIABLES = {Service.BROKER: "EDDYLINE_BOOTSTRAP_SERVERS", Service.REGISTRY: "EDDYLINE_SCHEMA_REGISTRY_URL"}


@app.command()
def up(
    services: _Which = None,
    folder: _Folder = _DEFAULT_FOLDER,
    broker_port: Annotated[int | None, typer.Option(help="The broker's port; the last one or a free one by default.")] = None,
    registry_port: Annotated[int | None, typer.Option(help="The registry's port; the last one or a free one by default.")] = None,
) -> None:
    """Fetch (the first time, with Maven) and start the services; returns when they serve."""
    wanted = {Service.BROKER: broker_port, Service.REGISTRY: registry_port}
    ports = {service: port for service, port in wanted.items() if port is not None}
    _show(Supervisor(folder).up(services or list(Service), ports=ports, report=stderr().print))


@app.command()
def down(services: _Which = None, folder: _Folder = _DEFAULT_FOLDER) -> None:
    """Stop the services; their data stays."""
    _show(Supervisor(folder).down(services or list(Service)))


@app.command()
def status(folder: _Folder = _DEFAULT_FOLDER) -> None:
    """Show how the services do; the exit code is 1 unless all serve."""
    statuses = Supervisor(folder).status()
    _show(statuses)
    if any(status.condition is not Condition.SERVING for status in statuses):
        raise typer.Exit(1)


@app.command()
def env(folder: _Folder = _DEFAULT_FOLDER) -> None:
    """Print where the services are, for a shell that runs the other commands: eval "$(eddyline services env)"."""
    serving = [status for status in Supervisor(folder).status() if status.condition is Condition.SERVING]
    if not serving:
        raise CommandError(f"no service serves from folder '{folder}'; start them with `eddyline services up`")
    for status in serving:
        typer.echo(f"export {_VARIABLES[status.service]}={shlex.quote(status.address)}")


def _show(statuses: Sequence[ServiceStatus]) -> None:
    table = Table("service", "condition", Column("address", overflow="fold"), "process", Column("log", overflow="fold"), box=None)
    for status in statuses:
        pid = "" if status.pid is None else str(status.pid)
        table.add_row(status.service.value, status.condition.value, status.address, pid, status.log)
    stdout().print(table)
