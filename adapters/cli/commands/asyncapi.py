"""`eddyline asyncapi`."""

import json
from typing import Annotated, Literal

import typer

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import ApplicationOptions, FlowName, FlowSources, TopicOptions
from eddyline.adapters.cli.printable import echo


@option_groups
def asyncapi(
    flow: FlowName,
    *,
    form: Annotated[Literal["yaml", "json"], typer.Option("--format", help="Print YAML or JSON.")] = "yaml",
    api_version: Annotated[
        str, typer.Option("--api-version", metavar="VERSION", help="Give the document this version.")
    ] = "0.1.0",
    topics: TopicOptions,
    application: ApplicationOptions,
    sources: FlowSources,
) -> None:
    """Print the AsyncAPI document of a flow: topics and schemas.

    The schemas are those of the types of the flow, in the format of the codec of each topic. Nothing is connected to; brokers and
    the schema registry are named as the settings name them.
    """
    request = sources.request(flow, topics, application)
    container = container_for(request.settings, connect=False)
    documents = container.asyncapi()
    document = documents.document(
        request.topology,
        title=request.flow.name,
        description=request.flow.summary,
        version=api_version,
        application_id=request.application_id,
    )
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n" if form == "json" else documents.as_yaml(document)
    echo(text, nl=False)
