"""`eddyline topology`: how a flow is built."""

from typing import Annotated, Literal

import typer

from adapters.cli.options import Assignments, Config, FlowName, Modules, requested


def topology(
    flow: FlowName,
    form: Annotated[
        Literal["text", "mermaid"], typer.Option("--format", help="As Kafka Streams prints it, or a flowchart.")
    ] = "text",
    assignments: Assignments = None,
    modules: Modules = None,
    config: Config = None,
) -> None:
    """Print a flow's topology: its steps, stores and sub-topologies."""
    built = requested(flow, assignments, modules, config).topology
    typer.echo(built.describe() if form == "text" else built.mermaid())
