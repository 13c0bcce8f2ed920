"""`eddyline topology show`."""

import json
from typing import Annotated, Literal

import typer

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import FlowName, FlowSources, VersionOptions
from eddyline.adapters.cli.printable import echo
from eddyline.application.topology import Topology


@option_groups
def show(
    flow: FlowName,
    *,
    form: Annotated[
        Literal["text", "mermaid", "json"],
        typer.Option(
            "--format", help="Print text as Kafka Streams does, a Mermaid flowchart, or JSON for 'eddyline topology diff'."
        ),
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
        forms = {"text": Topology.describe, "mermaid": Topology.mermaid, "json": _as_json}
        echo(forms[form](request.topology))


def _as_json(topology: Topology) -> str:
    from eddyline.application.topology.evolution import described

    return json.dumps(described(topology).as_json(), indent=2)
