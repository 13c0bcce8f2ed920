"""`eddyline topology`: how a flow is built."""

from typing import Annotated, Literal

import typer

from eddyline.adapters.cli.options import Assignments, Config, FlowName, Modules, Version, requested


def topology(  # noqa: PLR0917 - typer reads options from parameters
    flow: FlowName,
    form: Annotated[
        Literal["text", "mermaid"], typer.Option("--format", help="As Kafka Streams prints it, or a flowchart.")
    ] = "text",
    explained: Annotated[
        Literal["spark"] | None, typer.Option("--explain", help="How the engine hosts it, step by step, and what it refuses.")
    ] = None,
    version: Version = None,
    assignments: Assignments = None,
    modules: Modules = None,
    config: Config = None,
) -> None:
    """Print a flow's topology: its steps, stores and sub-topologies."""
    built = requested(flow, assignments, modules, config, version=version).topology
    if explained is not None:
        from eddyline.adapters.spark.explain import explain  # noqa: PLC0415 - an extra, needed only when it is asked for

        typer.echo(explain(built), nl=False)
    else:
        typer.echo(built.describe() if form == "text" else built.mermaid())
