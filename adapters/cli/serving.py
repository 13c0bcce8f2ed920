"""Query servers of flows: as a command of their own, and beside a run."""

import gc
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.screen import message
from eddyline.adapters.cli.stopping import stopped_by_signals

if TYPE_CHECKING:
    from eddyline.application.queries.state_queries import StateQueries


_SWITCH_S: Final = 0.001


def serve_flows(requests: Sequence[Request]) -> None:
    """Answer queries of the state of flows until SIGINT or SIGTERM.

    Raises:
        UsageError: two of the flows have a store of the same name.
        ServerError: the address cannot be bound, or the certificate cannot be used.
    """
    with _query_server(requests) as server, stopped_by_signals(server.stop):
        server.run(lambda: _started(requests, server))


@contextmanager
def served(request: Request) -> Iterator[None]:
    """Answer queries of the state of a flow in a thread while the `with` block runs. Raises as `serve_flows`."""
    with _query_server([request]) as server:
        thread = threading.Thread(target=server.run, args=(lambda: _started([request], server),), name="query-server")
        thread.start()
        try:
            yield
        finally:
            server.stop()
            thread.join()


@contextmanager
def _query_server(requests: Sequence[Request]) -> Iterator[Any]:
    """Yield the `QueryServer` of the flows, whose changelogs are followed meanwhile."""
    container = container_for(requests[0].settings)
    options = container.server_options()
    shares = requests[0].settings.server_partitions == "shared"
    groups, followers = [], []
    by_store: dict[str, StateQueries] = {}
    for request in requests:
        twice = sorted(by_store.keys() & request.topology.stores)
        if twice:
            raise UsageError(f"two of the flows have a store '{twice[0]}'; serve them in servers of their own")
        group = container.instance_group(request.application_id) if shares else None
        follower = container.changelog_follower(request.topology, request.application_id, group=group)
        if group is not None:
            groups.append((group, {topic: store for store, topic in follower.topics.items()}))
        followers.append(follower)
        by_store.update(dict.fromkeys(request.topology.stores, container.state_queries(follower=follower)))
    server = container.query_server(options, by_store, groups)
    with ExitStack() as stack:
        for group, topics in groups:
            stack.callback(group.close)
            group.start(container.shared_address(), sorted(topics))
        for follower in followers:
            stack.callback(follower.model.close)
            stack.callback(follower.stop)
            follower.start()
        yield server


def _started(requests: Sequence[Request], server: Any) -> None:
    """Announce the server, and prepare this process for answering quickly while changes are applied.

    Garbage collection stops all threads, for 50 ms if it examines all that the start has made, which is never garbage. A thread
    that applies changes passes the interpreter lock on after the switch interval, twice for each request.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(_SWITCH_S)
    names = ", ".join(f"'{request.flow.name}'" for request in requests)
    message(f"serving {names} at {server.url}")
