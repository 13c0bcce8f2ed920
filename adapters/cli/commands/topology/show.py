"""`eddyline topology show`."""

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import FlowName, FlowSources, VersionOptions
from eddyline.adapters.cli.printable import echo
from eddyline.application.topology import Topology

if TYPE_CHECKING:
    from eddyline.application.runtime.task.creation import NodePlan


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
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Print for each operator whether it processes many records at once, on any engine; if not, why, and what would "
            "change it.",
        ),
    ] = False,
    version: VersionOptions,
    sources: FlowSources,
) -> None:
    """Print the topology of a flow: operators, stores, topics."""
    if (plan or engine) and form not in (["text", "json"] if plan else ["text"]):
        raise UsageError(f"--format {form} does not go with {'--plan' if plan else '--explain'}; leave one of them out")
    request = sources.request(flow, version)
    if plan:
        container = container_for(request.settings, connect=False)
        found = container.task_plan(request.topology, options=container.options(application_id=request.application_id))
        echo("\n".join(_plan_lines(found) if form == "text" else (json.dumps(node._asdict()) for node in found)))
    elif engine is not None:
        container = container_for(request.settings, connect=False)
        echo(container.explain_on_spark(request.topology, emit=request.settings.emit), nl=False)
    else:
        forms = {"text": Topology.describe, "mermaid": Topology.mermaid, "json": _as_json}
        echo(forms[form](request.topology))


def _plan_lines(plan: "Iterable[NodePlan]") -> Iterator[str]:
    for index, nodes in groupby(plan, attrgetter("sub_topology")):
        yield f"Sub-topology {index}"
        for node in nodes:
            yield f"   {node.node}: {'many at once' if node.one_by_one is None else f'one by one, since {node.one_by_one}'}"


def _as_json(topology: Topology) -> str:
    from eddyline.application.topology.evolution import described

    return json.dumps(described(topology).as_json(), indent=2)
