"""`eddyline run`: a flow from its source topics to its sink topics."""

from typing import Annotated, Literal

import typer

from eddyline.adapters.cli.options import (
    ApplicationId,
    Assignments,
    Brokers,
    Config,
    DataDir,
    FlowName,
    LogKind,
    Modules,
    SchemaRegistry,
    StateDir,
    Version,
    log_flags,
    requested,
)
from eddyline.adapters.cli.running import run_flow


def run(  # noqa: PLR0917 - typer reads options from parameters
    flow: FlowName,
    engine: Annotated[Literal["spark", "memory"] | None, typer.Option(help="What runs the flow; spark.")] = None,
    available_now: Annotated[  # noqa: FBT002 - a flag
        bool, typer.Option("--available-now", help="End when all is done that the log holds now; else run until stopped.")
    ] = False,
    log: LogKind = None,
    bootstrap_servers: Brokers = None,
    schema_registry: SchemaRegistry = None,
    create_topics: Annotated[  # noqa: FBT002 - a flag
        bool, typer.Option("--create-topics", help="Make topics that are missing.")
    ] = False,
    application_id: ApplicationId = None,
    version: Version = None,
    data_dir: DataDir = None,
    state_dir: StateDir = None,
    emit: Annotated[
        Literal["latest", "every-update"] | None, typer.Option(help="Of a key's updates in a batch the last one, or all.")
    ] = None,
    order: Annotated[
        Literal["timestamp", "arrival"] | None, typer.Option(help="Which record of several partitions a task takes first.")
    ] = None,
    assignments: Assignments = None,
    modules: Modules = None,
    config: Config = None,
) -> None:
    """Run a flow; SIGINT and SIGTERM end it when the batch in hand is done, and the next run goes on there."""
    request = requested(
        flow,
        assignments,
        modules,
        config,
        engine=engine,
        create_topics=create_topics or None,
        application_id=application_id,
        version=version,
        data_dir=data_dir,
        state_dir=state_dir,
        emit=emit,
        order=order,
        **log_flags(log, bootstrap_servers, schema_registry),
    )
    run_flow(request, available_now=available_now)
