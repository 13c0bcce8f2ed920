"""Query servers of flows: as a command of their own, and beside a run."""

import gc
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final

from eddyline.adapters.cli.containers import container_for
from eddyline.adapters.cli.errors import UsageError
from eddyline.adapters.cli.requests import Request
from eddyline.adapters.cli.screen import message
from eddyline.adapters.cli.stopping import StoppedError, StopSignals

if TYPE_CHECKING:
    from eddyline.adapters.cli.reloading import Reload
    from eddyline.adapters.container import Container
    from eddyline.application.lineage.lineage import Lineage
    from eddyline.application.monitoring.run_monitor import RunMonitor
    from eddyline.application.operations.dead_letter_service import DeadLetterService
    from eddyline.application.queries.state_queries import StateQueries


_SWITCH_S: Final = 0.001
_REPLAY_S: Final = 120.0
_SHARE_BESIDE_RUN: Final = 0.25


def check_named_once(flows: Sequence[str]) -> None:
    """Make sure that no flow is named twice. Raises UsageError."""
    for flow in flows:
        if flows.count(flow) > 1:
            raise UsageError(f"flow '{flow}' is named {flows.count(flow)} times; name each flow once")


def serve_flows(requests: Sequence[Request], runs: "Sequence[RunMonitor]" = ()) -> None:
    """Answer queries of the state of flows, and show them on a page, until SIGINT or SIGTERM.

    Args:
        requests: The flows.
        runs: What the runs of the flows in this process have reported; none if they run elsewhere.

    Raises:
        ServerError: the address cannot be bound, or the certificate cannot be used.
    """
    with suppress(StoppedError), StopSignals() as signals, _query_server(requests, runs) as server, signals.stopping(server.stop):
        server.run(lambda: _started(requests, server))


@contextmanager
def served(
    requests: Sequence[Request],
    stop: Callable[[], None],
    service: str | None = None,
    on_serving: Callable[[str], object] | None = None,
    reload: "Reload | None" = None,
) -> Iterator["list[RunMonitor]"]:
    """Answer queries of flows that run in the `with` block, in a thread; yield what is to receive the progress of each.

    `stop` lets the flows end after their current batches, and returns at once; `service` is the name of the service whose flows
    they are. `on_serving` is called with the address of the server, in place of a message. With `reload`, the server has the
    port, the token and the sessions of the one before. Raises as `serve_flows`.
    """
    monitors = [run_monitor(request) for request in requests]
    with _query_server(requests, monitors, stop, service, reload) as server:
        thread = threading.Thread(target=server.run, args=(lambda: _started(requests, server, on_serving),), name="query-server")
        thread.start()
        try:
            yield monitors
        finally:
            server.stop()
            thread.join()
            if reload is not None:
                reload.keep(server.left())


def run_monitor(request: Request) -> "RunMonitor":
    """Return what collects the progress of a run."""
    settings = request.settings
    monitor: RunMonitor = container_for(settings).run_monitor(
        request.topology,
        application_id=request.application_id,
        flow=request.flow.name,
        engine=settings.engine,
        recording_level=settings.metrics_recording_level or "info",
    )
    return monitor


@contextmanager
def _query_server(
    requests: Sequence[Request],
    runs: "Sequence[RunMonitor]" = (),
    stop: Callable[[], None] | None = None,
    service: str | None = None,
    reload: "Reload | None" = None,
) -> Iterator[Any]:
    """Yield the `QueryServer` of the flows, whose changelogs are followed meanwhile."""
    container = container_for(requests[0].settings)
    options = container.server_options()
    if reload is not None:
        options = options.following(reload.server)
    shares = requests[0].settings.server_partitions == "shared"
    page_flows, dead_letters = container.page_flows(), _dead_letters(requests)
    groups, followers, shown = [], [], []
    by_store: dict[str, tuple[StateQueries, str]] = {}
    found = Counter(store for request in requests for store in request.topology.stores)
    for request, letters, run in zip_longest(requests, dead_letters, runs):
        names = {store: store if found[store] == 1 else f"{request.application_id}.{store}" for store in request.topology.stores}
        group = container.instance_group(request.application_id) if shares and names else None
        follower = container.changelog_follower(request.topology, request.application_id, group=group)
        if group is not None:
            groups.append((group, {topic: names[store] for store, topic in follower.topics.items()}))
        followers.append(follower)
        queries = container.state_queries(follower=follower)
        by_store.update({name: (queries, store) for store, name in names.items()})
        lineage = _lineage(container, request, is_beside_run=run is not None)
        shown.append(page_flows.served(request.flow, follower, queries, letters, lineage, run))
    page = container.page_app(options, shown)
    server = container.query_server(options, by_store, runs, dead_letters, stop, page, groups=groups, service=service)
    with ExitStack() as stack:
        for group, topics in groups:
            stack.callback(group.close)
            group.start(container.shared_address(), sorted(topics))
        for follower in followers:
            stack.callback(follower.model.close)
            stack.callback(follower.stop)
            follower.start()
        for flow in shown if not runs else ():
            stack.callback(flow.history.stop)
            flow.history.start()
        yield server


def _lineage(container: "Container", request: Request, *, is_beside_run: bool) -> "Lineage":
    """Return what finds the inputs of a flow's results, with limits for people who wait for a page; a run goes first."""
    from eddyline.application.lineage.limits import Limits  # noqa: PLC0415 - runs without a server do not need it

    return container.lineage(
        topology=request.topology,
        application_id=request.application_id,
        flow=request.flow,
        limits=Limits(records=200_000, tests=50_000, seconds=_REPLAY_S, share=_SHARE_BESIDE_RUN if is_beside_run else 1.0),
    )


def _dead_letters(requests: Sequence[Request]) -> "list[DeadLetterService]":
    """Return the dead letters of the flows; they are redriven exactly once, whatever guarantee their flow has."""
    settings = requests[0].settings.model_copy(update={"processing_guarantee": "exactly_once_v2"})
    container = container_for(settings)
    return [container.dead_letters(request.application_id) for request in requests]


def _started(requests: Sequence[Request], server: Any, on_serving: Callable[[str], object] | None = None) -> None:
    """Announce the server, and prepare this process for answering quickly while changes are applied.

    Garbage collection stops all threads, for 50 ms if it examines all that the start has made, which is never garbage. A thread
    that applies changes passes the interpreter lock on after the switch interval, twice for each request.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(_SWITCH_S)
    if on_serving is not None:
        on_serving(server.address)
        return
    names = ", ".join(f"'{request.flow.name}'" for request in requests)
    message(f"serving {names} at {server.address}")
