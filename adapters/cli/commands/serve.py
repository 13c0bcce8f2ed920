"""`eddyline serve`."""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eddyline.adapters.cli.option_groups import SettingOptions, option_groups
from eddyline.adapters.cli.options import FlowSources, TopicOptions, VersionOptions

if TYPE_CHECKING:
    from eddyline.adapters.cli.requests import Request
    from eddyline.application.queries.state_queries import StateQueries


@dataclass(frozen=True)
class AddressOptions(SettingOptions):
    """Options for the address of the server."""

    server_host: Annotated[
        str | None, typer.Option("--host", metavar="HOST", help="Listen on this address. Setting: server.host.")
    ] = None
    server_port: Annotated[
        int | None, typer.Option("--port", metavar="PORT", help="Listen on this port. Setting: server.port.")
    ] = None


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
    _serve([sources.request(flow, address, topics, version) for flow in flows])


def _serve(requests: "list[Request]") -> None:
    from eddyline.adapters.cli.containers import container_for  # noqa: PLC0415 - help is shown without it
    from eddyline.adapters.cli.errors import UsageError  # noqa: PLC0415
    from eddyline.adapters.cli.screen import message  # noqa: PLC0415
    from eddyline.adapters.cli.stopping import stopped_by_signals  # noqa: PLC0415

    container = container_for(requests[0].settings)
    options = container.server_options()
    followers: list[Any] = []
    by_store: dict[str, StateQueries] = {}
    for request in requests:
        twice = sorted(by_store.keys() & request.topology.stores)
        if twice:
            raise UsageError(f"two of the flows have a store '{twice[0]}'; serve them in servers of their own")
        follower = container.changelog_follower(request.topology, request.application_id)
        followers.append(follower)
        by_store.update(dict.fromkeys(request.topology.stores, container.state_queries(follower=follower)))
    server = container.query_server(options, by_store)
    names = ", ".join(f"'{request.flow.name}'" for request in requests)
    with ExitStack() as stack, stopped_by_signals(server.stop):
        for follower in followers:
            stack.callback(follower.model.close)
            stack.callback(follower.stop)
            follower.start()
        server.run(lambda: message(f"serving {names} at {server.url}"))
