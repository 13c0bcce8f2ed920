"""`eddyline topology`."""

from typing import Annotated, Literal

import typer

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import FlowName, FlowSources, VersionOptions
from eddyline.adapters.cli.printable import echo


@option_groups
def topology(
    flow: FlowName,
    *,
    form: Annotated[
        Literal["text", "mermaid"],
        typer.Option("--format", help="Print text as Kafka Streams does, or a Mermaid flowchart."),
    ] = "text",
    engine: Annotated[
        Literal["spark"] | None,
        typer.Option("--explain", help="Print how this engine runs each operator, and what it does not support."),
    ] = None,
    version: VersionOptions,
    sources: FlowSources,
) -> None:
    """Print the topology of a flow: operators, stores, topics."""
    request = sources.request(flow, version)
    if engine is not None:
        container = container_for(request.settings, connect=False)
        echo(container.explain_on_spark(request.topology, emit=request.settings.emit), nl=False)
    else:
        echo(request.topology.describe() if form == "text" else request.topology.mermaid())
