"""`eddyline dead-letters`: the records that a flow could not take, and writing them back to where they came from."""

from typing import Annotated

import typer

from eddyline.adapters.cli.dead_letters import Box, redrive_letters, show_letter, show_letters, show_value
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.options import (
    ApplicationId,
    Assignments,
    Brokers,
    Config,
    DataDir,
    FlowName,
    LogKind,
    Modules,
    Version,
    requested,
)

app = typer.Typer(
    name="dead-letters",
    help="Records that a flow could not take: which and why, and writing them back.",
    no_args_is_help=True,
)


@app.command(name="list")
def list_letters(  # noqa: PLR0917 - typer reads options from parameters
    flow: FlowName,
    topic: Annotated[str | None, typer.Option(metavar="TOPIC", help="Only records of this topic.")] = None,
    exception: Annotated[str | None, typer.Option(metavar="NAME", help="Only those that this exception brought here.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="Show the latest so many; totals count all.")] = 50,
    log: LogKind = None,
    bootstrap_servers: Brokers = None,
    application_id: ApplicationId = None,
    version: Version = None,
    data_dir: DataDir = None,
    assignments: Assignments = None,
    modules: Modules = None,
    config: Config = None,
) -> None:
    """Show the dead letters, the latest last, and how many there are for each reason."""
    flags = {"log": log, "bootstrap_servers": bootstrap_servers, "data_dir": data_dir}
    box = Box.of(requested(flow, assignments, modules, config, application_id=application_id, version=version, **flags))
    show_letters(box, topic=topic, exception=exception, limit=limit)


@app.command()
def show(  # noqa: PLR0917 - typer reads options from parameters
    flow: FlowName,
    place: Annotated[str, typer.Argument(metavar="PARTITION:OFFSET", help="The letter, as `list` shows it.")],
    full: Annotated[bool, typer.Option("--full", help="Show long keys and values to their end.")] = False,  # noqa: FBT002 - a flag
    raw: Annotated[bool, typer.Option("--raw", help="Print the value's bytes as they are, and nothing else.")] = False,  # noqa: FBT002 - a flag
    log: LogKind = None,
    bootstrap_servers: Brokers = None,
    application_id: ApplicationId = None,
    version: Version = None,
    data_dir: DataDir = None,
    assignments: Assignments = None,
    modules: Modules = None,
    config: Config = None,
) -> None:
    """Show all of a dead letter: where it was, what went wrong, headers, key and value."""
    flags = {"log": log, "bootstrap_servers": bootstrap_servers, "data_dir": data_dir}
    box = Box.of(requested(flow, assignments, modules, config, application_id=application_id, version=version, **flags))
    if raw:
        show_value(box, place)
    else:
        show_letter(box, place, full=full)


@app.command()
def redrive(  # noqa: PLR0917 - typer reads options from parameters
    flow: FlowName,
    places: Annotated[
        list[str] | None, typer.Argument(metavar="[PARTITION:OFFSET…]", help="The letters, as `list` shows them.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All letters that are there now.")] = False,  # noqa: FBT002 - a flag
    topic: Annotated[str | None, typer.Option(metavar="TOPIC", help="Of all letters those of this topic's records.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")] = False,  # noqa: FBT002 - a flag
    log: LogKind = None,
    bootstrap_servers: Brokers = None,
    application_id: ApplicationId = None,
    version: Version = None,
    data_dir: DataDir = None,
    assignments: Assignments = None,
    modules: Modules = None,
    config: Config = None,
) -> None:
    """Write dead letters back to the topics and partitions they came from, each once however often this is done."""
    if bool(places) == everything:
        raise UsageError("name the letters, as in 0:7 2:13, or give --all; `eddyline dead-letters list` shows them")
    if topic is not None and not everything:
        raise UsageError("--topic chooses among all letters: give it with --all")
    flags = {"log": log, "bootstrap_servers": bootstrap_servers, "data_dir": data_dir}
    box = Box.of(requested(flow, assignments, modules, config, application_id=application_id, version=version, **flags))
    if not redrive_letters(box, places, topic=topic, dry_run=dry_run):
        raise typer.Exit(1)
