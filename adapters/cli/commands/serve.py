"""`eddyline serve`."""

from typing import Annotated

import typer

from eddyline.adapters.cli.option_groups import option_groups
from eddyline.adapters.cli.options import AddressOptions, FlowSources, TopicOptions, VersionOptions


@option_groups
def serve(
    flows: Annotated[list[str], typer.Argument(metavar="FLOW...", help="The flows; 'eddyline flows' lists them.")],
    *,
    address: AddressOptions,
    topics: TopicOptions,
    version: VersionOptions,
    sources: FlowSources,
) -> None:
    """Answer queries of the state of flows over HTTP.

    Follows the changelogs of the flows' stores, which the flows write while they run elsewhere. Runs until SIGINT (Ctrl+C) or
    SIGTERM. Only this machine can connect unless --host says otherwise, which needs the setting server.token.
    """
    from eddyline.adapters.cli.serving import check_named_once, serve_flows

    check_named_once(flows)
    serve_flows([sources.request(flow, address, topics, version) for flow in flows])
